//! [`RawInterface`]: the interface's dictionary, as it comes from elsewhere.

/// The dictionary `__cuda_array_interface__` field by field, unchecked; becomes a
/// [`CudaArrayInterface`](crate::CudaArrayInterface) by `try_from`.
///
/// ```
/// use interop_core::{CudaArrayInterface, RawInterface};
///
/// let raw = RawInterface {
///     shape: vec![10, 10, 3],
///     typestr: "|u1".into(),
///     data: (0x6dec_0000_0000, false),
///     strides: Some(vec![32, 3, 1]),
///     ..RawInterface::default()
/// };
/// let interface = CudaArrayInterface::try_from(raw)?;
/// assert_eq!(interface.strides(), Some(&[32, 3, 1][..]));
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawInterface {
    /// Elements along each axis.
    pub shape: Vec<i64>,
    /// Element type, as in [`DType::typestr`](crate::DType::typestr).
    pub typestr: String,
    /// Address of the first element (0 for no elements), and whether the memory is read-only.
    pub data: (u64, bool),
    /// Version of the interface.
    pub version: i64,
    /// Bytes between elements along each axis; `None` for C order without gaps.
    pub strides: Option<Vec<i64>>,
    /// Whether a mask is given.
    pub has_mask: bool,
    /// The stream behind whose work the data is ready; `None` if it is ready now.
    pub stream: Option<i64>,
}

impl Default for RawInterface {
    /// No elements of type `u8`, version 3.
    fn default() -> Self {
        Self {
            shape: vec![0],
            typestr: "|u1".to_owned(),
            data: (0, false),
            version: 3,
            strides: None,
            has_mask: false,
            stream: None,
        }
    }
}
