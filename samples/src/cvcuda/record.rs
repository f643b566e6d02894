//! Calls of operators with their inputs and outputs, for a script that makes the same calls by CV-CUDA's Python API and
//! compares the outputs bit for bit.

use std::io::{self, Write};
use std::path::Path;

use interop_core::{DType, Element, Result, Tensor};
use serde_json::{Value, json};

/// The calls of a run: a list in JSON, and the bytes of all arrays one behind the other.
#[derive(Debug, Default)]
pub struct Record {
    arrays: Vec<Value>,
    calls: Vec<Value>,
    bytes: Vec<u8>,
}

impl Record {
    /// Takes the elements of a tensor, in C order: its number in the record.
    ///
    /// # Errors
    /// Those of a download.
    pub fn array(&mut self, tensor: &Tensor) -> Result<usize> {
        let bytes = bytes_of(tensor)?;
        let layout = tensor.layout().map(|layout| layout.to_string());
        self.arrays.push(json!({
            "offset": self.bytes.len(),
            "bytes": bytes.len(),
            "typestr": tensor.dtype().typestr(),
            "shape": tensor.shape(),
            "layout": layout,
        }));
        self.bytes.extend(bytes);
        Ok(self.arrays.len() - 1)
    }

    /// Takes a call: which operator, with what, from which arrays to which.
    ///
    /// # Errors
    /// Those of a download.
    pub fn call(
        &mut self,
        operator: &str,
        arguments: Value,
        inputs: &[usize],
        output: &Tensor,
    ) -> Result<()> {
        let output = self.array(output)?;
        self.calls.push(json!({
            "operator": operator, "arguments": arguments, "inputs": inputs, "output": output,
        }));
        Ok(())
    }

    /// How many calls there are of an operator.
    pub fn calls_of(&self, operator: &str) -> usize {
        self.calls.iter().filter(|call| call["operator"] == operator).count()
    }

    /// Writes both files into a folder: `operators.json` and `operators.bin`.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let list = json!({ "schema": 1, "arrays": self.arrays, "calls": self.calls });
        std::fs::write(folder.join("operators.json"), format!("{list}\n"))?;
        std::fs::File::create(folder.join("operators.bin"))?.write_all(&self.bytes)
    }
}

/// The elements in C order, as they lie in memory.
fn bytes_of(tensor: &Tensor) -> Result<Vec<u8>> {
    fn elements<T: Element, const N: usize>(tensor: &Tensor, bytes: fn(T) -> [u8; N]) -> Result<Vec<u8>> {
        Ok(tensor.to_vec::<T>()?.into_iter().flat_map(bytes).collect())
    }
    match tensor.dtype() {
        DType::I8 => elements(tensor, i8::to_ne_bytes),
        DType::U16 => elements(tensor, u16::to_ne_bytes),
        DType::I16 => elements(tensor, i16::to_ne_bytes),
        DType::U32 => elements(tensor, u32::to_ne_bytes),
        DType::I32 => elements(tensor, i32::to_ne_bytes),
        DType::F16 => elements(tensor, half::f16::to_ne_bytes),
        DType::F32 => elements(tensor, f32::to_ne_bytes),
        DType::F64 => elements(tensor, f64::to_ne_bytes),
        // Of another type, the download says so.
        _ => elements(tensor, u8::to_ne_bytes),
    }
}

#[cfg(test)]
mod tests {
    use interop_core::{Gpu, Layout};

    use super::*;

    #[test]
    fn arrays_lie_one_behind_the_other() {
        let gpu = Gpu::open(0).expect("a device");
        let mut record = Record::default();
        let bytes =
            Tensor::from_host(&gpu, &ndarray::arr2(&[[1u8, 2, 3], [4, 5, 6]]), Layout::HW).expect("a tensor");
        let floats = Tensor::from_host(&gpu, &[1.5f32, -2.0], None).expect("a tensor");
        let input = record.array(&bytes).expect("a download");
        record.call("flip", json!({ "code": 0 }), &[input], &floats).expect("a download");
        assert_eq!((record.calls_of("flip"), record.calls_of("resize")), (1, 0));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/record-test");
        record.write(&folder).expect("files");
        let list: Value =
            serde_json::from_slice(&std::fs::read(folder.join("operators.json")).expect("a file"))
                .expect("JSON");
        assert_eq!(
            list["calls"][0],
            json!({"operator": "flip", "arguments": {"code": 0}, "inputs": [0], "output": 1})
        );
        assert_eq!(list["arrays"][1]["offset"], 6);
        assert_eq!(list["arrays"][0]["layout"], "HW");
        let content = std::fs::read(folder.join("operators.bin")).expect("a file");
        assert_eq!(content[..6], [1, 2, 3, 4, 5, 6]);
        assert_eq!(content[6..10], 1.5f32.to_ne_bytes());
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
