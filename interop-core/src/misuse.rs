//! What must not compile, each beside a twin that does: so that it is refused for the reason given, not for a
//! slip.

/// A host array changes while a download writes to it.
///
/// ```compile_fail,E0506
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let mut host = [1u8; 3];
/// gpu.scope(|scope| {
///     let download = scope.download(&device, &mut host)?;
///     host[0] = 7;
///     download.wait().map(drop)
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// ```
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let mut host = [1u8; 3];
/// gpu.scope(|scope| {
///     let download = scope.download(&device, &mut host)?;
///     download.wait()?[0] = 7;
///     Ok::<(), interop_core::Error>(())
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct ChangedDuringDownload;

/// A host array is read while a download writes to it.
///
/// ```compile_fail,E0503
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let mut host = [1u8; 3];
/// gpu.scope(|scope| {
///     let download = scope.download(&device, &mut host)?;
///     assert_eq!(host[0] + 1, 2);
///     download.wait().map(drop)
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// ```
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let mut host = [1u8; 3];
/// gpu.scope(|scope| {
///     let download = scope.download(&device, &mut host)?;
///     assert_eq!(download.wait()?[0] + 1, 1);
///     Ok::<(), interop_core::Error>(())
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct ReadDuringDownload;

/// A host array changes while an upload reads it, whose handle was forgotten.
///
/// ```compile_fail,E0506
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let mut host = [1u8; 3];
/// gpu.scope(|scope| {
///     std::mem::forget(scope.upload(&host, &mut device));
///     host[0] = 7;
/// })?;
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// ```
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let mut host = [1u8; 3];
/// gpu.scope(|scope| {
///     std::mem::forget(scope.upload(&host, &mut device));
///     assert_eq!(host[0], 1); // reading is fine
/// })?;
/// host[0] = 7;
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct ChangedDuringUpload;

/// A host array is gone before the end of the scope.
///
/// ```compile_fail,E0597
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// gpu.scope(|scope| {
///     let host = vec![1u8; 3];
///     scope.upload(&host, &mut device).map(drop)
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// ```
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// let host = vec![1u8; 3];
/// gpu.scope(|scope| {
///     scope.upload(&host, &mut device).map(drop)
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct GoneBeforeTheEnd;

/// A host array is dropped, moved, in the scope.
///
/// ```compile_fail,E0505
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// let host = vec![1u8; 3];
/// gpu.scope(|scope| {
///     scope.upload(&host, &mut device).map(drop)?;
///     drop(host);
///     Ok::<(), interop_core::Error>(())
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// ```
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// let host = vec![1u8; 3];
/// gpu.scope(|scope| {
///     scope.upload(&host, &mut device).map(drop)?;
///     Ok::<(), interop_core::Error>(())
/// })??;
/// drop(host);
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct DroppedInTheScope;

/// A handle leaves the scope.
///
/// ```compile_fail,E0521
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let mut host = [1u8; 3];
/// let mut kept = None;
/// gpu.scope(|scope| {
///     kept = Some(scope.download(&device, &mut host));
/// })?;
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// ```
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let mut host = [1u8; 3];
/// gpu.scope(|scope| {
///     let mut kept = None;
///     kept = Some(scope.download(&device, &mut host));
/// })?;
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct HandleLeavesTheScope;

/// A pinned buffer is used after it moved in.
///
/// ```compile_fail,E0382
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// let mut pinned = interop_core::PinnedBuffer::from_slice(&gpu, &[1u8, 2, 3])?;
/// let upload = interop_core::cuda_memcpy_h2d_async(pinned, &mut device)?;
/// pinned[0] = 7;
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// ```
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// let mut pinned = interop_core::PinnedBuffer::from_slice(&gpu, &[1u8, 2, 3])?;
/// let upload = interop_core::cuda_memcpy_h2d_async(pinned, &mut device)?;
/// let mut pinned = upload.wait()?;
/// pinned[0] = 7;
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct PinnedBufferMovedIn;

/// A GPU array is read while an upload writes to it.
///
/// ```compile_fail,E0502
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let host = [1u8; 3];
/// gpu.scope(|scope| {
///     let upload = scope.upload(&host, &mut device)?;
///     device.to_vec::<u8>()?;
///     upload.wait().map(drop)
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// ```
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let host = [1u8; 3];
/// gpu.scope(|scope| {
///     let upload = scope.upload(&host, &mut device)?;
///     upload.wait()?.to_vec::<u8>()
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct DeviceReadDuringUpload;

/// Two uploads write to a GPU array at once.
///
/// ```compile_fail,E0499
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let host = [1u8; 3];
/// gpu.scope(|scope| {
///     let first = scope.upload(&host, &mut device)?;
///     let second = scope.upload(&host, &mut device)?;
///     Ok::<(), interop_core::Error>(())
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// ```
/// # let gpu = interop_core::Gpu::open(0)?;
/// # let mut device = interop_core::CudaBuffer::zeros(&gpu, &[3], interop_core::DType::U8)?;
/// # let host = [1u8; 3];
/// gpu.scope(|scope| {
///     let first = scope.upload(&host, &mut device)?;
///     let second = scope.upload(&host, first.wait()?)?;
///     Ok::<(), interop_core::Error>(())
/// })??;
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct TwoUploadsAtOnce;

/// A pinned slice leaves the call that pins it.
///
/// ```compile_fail,E0521
/// # let gpu = interop_core::Gpu::open(0)?;
/// let mut host = vec![0u8; 3];
/// let mut kept: Option<&mut [u8]> = None;
/// gpu.pinned(&mut host, |host| kept = Some(host))?;
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// ```
/// # let gpu = interop_core::Gpu::open(0)?;
/// let mut host = vec![0u8; 3];
/// let mut kept: Option<Vec<u8>> = None;
/// gpu.pinned(&mut host, |host| kept = Some(host.to_vec()))?;
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct PinnedSliceLeaves;
