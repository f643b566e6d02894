//! [`Gpu::scope`]: copies of borrowed host memory that run beside the caller, all over when the scope is.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use super::between::{check_writable, download_into, upload};
use super::host::{HostArray, HostArrayMut};
use super::job::{Job, Outcome};
use super::meter::Meter;
use super::queued::Progress;
use crate::in_flight::Access;
use crate::interface::{CudaArray, CudaView};
use crate::lock::lock;
use crate::{Error, Gpu, Memory, Result};

/// So many copies of a scope run at once, each on a thread; a further one is made by the caller's.
const MOST_THREADS: usize = 16;

impl Gpu {
    /// Runs `work`, which may start copies of host memory that it borrows, and waits for all of them, as
    /// [`std::thread::scope`] does for threads: also where `work` panics, and where the handle of a copy was
    /// forgotten. So no copy can outlast what it reads or writes.
    ///
    /// An array that is being read can be read meanwhile, and one that is being written cannot be touched until
    /// [`ScopedDownload::wait`] gives it back, or the scope is over.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let source = vec![7u8; 1 << 20];
    /// let mut device = CudaBuffer::new(&gpu, &[1 << 20], DType::U8)?;
    /// let mut target = vec![0u8; 1 << 20];
    /// gpu.scope(|scope| {
    ///     let upload = scope.upload(&source, &mut device)?;
    ///     // The host is free to do something else here.
    ///     let device = upload.wait()?;
    ///     scope.download(&*device, &mut target)?; // waited for at the end of the scope
    ///     Ok::<(), interop_core::Error>(())
    /// })??; // the first `?` is for copies that nobody waited for
    /// assert_eq!(target, source);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Order
    /// A copy runs behind what is queued on the stream of the device array's memory when it starts; and other
    /// handles of this crate that share the memory wait for the copy before they queue anything that it could
    /// disturb. What is queued on the raw stream is ordered behind a copy only when that was waited for.
    ///
    /// # Errors
    /// The first error of a copy that was not waited for.
    ///
    /// # Panics
    /// Only where `work` did, or a host array's own [`HostArrayMut::host_view_mut`] in a download that was not waited
    /// for: the panic goes on here when all copies are over.
    pub fn scope<'env, R>(&self, work: impl for<'scope> FnOnce(&CopyScope<'scope, 'env>) -> R) -> Result<R> {
        let started = Arc::<Started>::default();
        let result = thread::scope(|threads| {
            let (running, started) = (Arc::default(), started.clone());
            work(&CopyScope { threads, gpu: self.clone(), running, started })
        });
        let copies = std::mem::take(&mut *lock(&started));
        copies.iter().try_for_each(|copy| copy.wait())?;
        Ok(result)
    }
}

/// All copies that a scope started, in order.
type Started = Mutex<Vec<Arc<Outcome>>>;

/// What [`Gpu::scope`] passes to its work, to start copies with; it has an example.
pub struct CopyScope<'scope, 'env: 'scope> {
    threads: &'scope thread::Scope<'scope, 'env>,
    gpu: Gpu,
    running: Arc<AtomicUsize>,
    started: Arc<Started>,
}

impl<'scope, 'env> CopyScope<'scope, 'env> {
    /// Starts the copy of a host array to a GPU array, as [`cuda_memcpy_h2d`](crate::cuda_memcpy_h2d) makes it.
    /// The GPU array can be used again when the copy was waited for.
    ///
    /// Up to 16 copies of a scope run beside the caller, each from a thread of its own; a further one is complete when
    /// this returns.
    ///
    /// # Errors
    /// Those of [`cuda_memcpy_h2d`](crate::cuda_memcpy_h2d) that show before anything is copied, or
    /// [`Error::NoThread`]. Those of the copy itself are returned by [`ScopedUpload::wait`].
    pub fn upload<H, D>(&self, host: &'scope H, device: &'scope mut D) -> Result<ScopedUpload<'scope, D>>
    where
        H: HostArray + Sync + ?Sized,
        D: CudaArray + ?Sized,
    {
        const OPERATION: &str = "CopyScope::upload";
        let view = self.checked(OPERATION, CudaView::to_be_written(OPERATION, device)?)?;
        check_writable(OPERATION, &view)?;
        // Asked once, and here: the array's own code could wait for this copy there.
        let host = host.host_view();
        host.fit(OPERATION, view.interface())?;
        let total = view.size_bytes();
        let used = InUse::begin(view.shared_memory(), Access::Write);
        let job = self.start(OPERATION, total, move |meter| {
            let _used = used;
            let copied = upload(OPERATION, &host.metered(meter), &view);
            // A small one may be queued only; nobody waits for this thread before the copy is wanted.
            (copied.and_then(|()| view.gpu().queue().synchronize(OPERATION)), ())
        })?;
        Ok(ScopedUpload { job, device })
    }

    /// Starts the copy of a GPU array to a host array, as [`cuda_memcpy_d2h`](crate::cuda_memcpy_d2h) makes it, beside
    /// the caller as [`CopyScope::upload`] says. The host array can be used again when the copy was waited for.
    ///
    /// [`HostArrayMut::host_view_mut`] is called here, and again by the copy. An implementation must not write the GPU
    /// array through another handle, which would wait for the copy.
    ///
    /// # Errors
    /// Those of [`cuda_memcpy_d2h`](crate::cuda_memcpy_d2h) that show before anything is copied, or
    /// [`Error::NoThread`]. Those of the copy itself are returned by [`ScopedDownload::wait`].
    pub fn download<D, H>(&self, device: &'scope D, host: &'scope mut H) -> Result<ScopedDownload<'scope, H>>
    where
        D: CudaArray + ?Sized,
        H: HostArrayMut + Send + ?Sized,
    {
        const OPERATION: &str = "CopyScope::download";
        let view = self.checked(OPERATION, CudaView::checked(OPERATION, device)?)?;
        host.host_view_mut().fit(OPERATION, view.interface())?;
        let total = view.size_bytes();
        let used = InUse::begin(view.shared_memory(), Access::Read);
        let job = self.start(OPERATION, total, move |meter| {
            let _used = used;
            (download_into(OPERATION, &view, host.host_view_mut().metered(meter)), host)
        })?;
        Ok(ScopedDownload { job })
    }

    /// Has the scope tell of this copy's error, if nobody waits for it.
    fn note<T>(&self, job: &Job<T>) {
        lock(&self.started).push(job.outcome().clone());
    }

    fn checked(&self, operation: &'static str, view: CudaView) -> Result<CudaView> {
        self.gpu.check_same_device(operation, view.gpu().info().ordinal as i32)?;
        Ok(view)
    }

    /// Runs a copy on a thread, or here where there are enough of them.
    fn start<T: Send + 'scope>(
        &self,
        operation: &'static str,
        total: usize,
        copy: impl FnOnce(&Meter) -> (Result<()>, T) + Send + 'scope,
    ) -> Result<Job<T>> {
        let job = Job::new(operation, total);
        let meter = job.meter();
        let copy = move || copy(&meter);
        let running = Running::one_more(&self.running);
        let runner = job.runner();
        if running.number > MOST_THREADS {
            runner.run(copy);
            self.note(&job);
            return Ok(job);
        }
        let thread = thread::Builder::new().name("interop copy".to_owned());
        // The handle is dropped here: the scope would wait for ever for one that was forgotten.
        let started = thread.spawn_scoped(self.threads, move || {
            let _running = running;
            runner.run(copy);
        });
        match started {
            Ok(_) => {
                self.note(&job);
                Ok(job)
            }
            Err(error) => Err(Error::NoThread { operation, reason: error.to_string() }),
        }
    }
}

impl fmt::Debug for CopyScope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CopyScope(on {:?})", self.gpu)
    }
}

/// Counts a copy that runs.
struct Running {
    all: Arc<AtomicUsize>,
    number: usize,
}

impl Running {
    fn one_more(all: &Arc<AtomicUsize>) -> Self {
        Self { number: all.fetch_add(1, Ordering::AcqRel) + 1, all: all.clone() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Tells the other handles of a piece of memory that a copy runs on it, until it drops.
struct InUse {
    memory: Memory,
    access: Access,
}

impl InUse {
    fn begin(memory: &Memory, access: Access) -> Self {
        memory.in_flight().begin(access);
        Self { memory: memory.clone(), access }
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.memory.in_flight().end(self.access);
    }
}

/// An upload of borrowed host memory under way: what [`CopyScope::upload`] returns. Dropped or forgotten, it is
/// waited for at the end of the scope.
pub struct ScopedUpload<'scope, D: ?Sized> {
    job: Job<()>,
    device: &'scope mut D,
}

impl<'scope, D: ?Sized> ScopedUpload<'scope, D> {
    /// Waits until the copy is complete, and gives the GPU array back; after an error it can be used again when the
    /// scope is over.
    ///
    /// # Errors
    /// Those of [`cuda_memcpy_h2d`](crate::cuda_memcpy_h2d).
    pub fn wait(self) -> Result<&'scope mut D> {
        self.job.wait().map(|()| self.device)
    }

    /// Whether the copy is over.
    pub fn is_done(&self) -> bool {
        self.job.is_done()
    }

    /// How far the copy has come.
    pub fn progress(&self) -> Progress {
        self.job.progress()
    }
}

/// A download to borrowed host memory under way: what [`CopyScope::download`] returns. Dropped or forgotten, it
/// is waited for at the end of the scope.
pub struct ScopedDownload<'scope, H: ?Sized> {
    job: Job<&'scope mut H>,
}

impl<'scope, H: ?Sized> ScopedDownload<'scope, H> {
    /// Waits until the copy is complete, and gives the host array back; after an error it can be used again when the
    /// scope is over.
    ///
    /// # Errors
    /// Those of [`cuda_memcpy_d2h`](crate::cuda_memcpy_d2h).
    ///
    /// # Panics
    /// Only where the host array's own [`HostArrayMut::host_view_mut`] did: its panic goes on here.
    pub fn wait(self) -> Result<&'scope mut H> {
        self.job.wait()
    }

    /// Whether the copy is over.
    pub fn is_done(&self) -> bool {
        self.job.is_done()
    }

    /// How far the copy has come.
    pub fn progress(&self) -> Progress {
        self.job.progress()
    }
}

impl<D: ?Sized> fmt::Debug for ScopedUpload<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScopedUpload({:?})", self.progress())
    }
}

impl<H: ?Sized> fmt::Debug for ScopedDownload<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScopedDownload({:?})", self.progress())
    }
}
