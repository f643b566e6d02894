//! Which work waits for which, within one context.

use std::sync::{Arc, Mutex};

use crate::code::{Code, Result};
use crate::graph::Captures;
use crate::lane::{Kind, Lane, Point};
use crate::sync::lock;

/// The lanes of one context, and the fault that ended it if there was one.
///
/// Work only ever waits for work that was submitted before it, under one lock, so no two pieces wait for each
/// other.
#[derive(Debug, Default)]
pub struct Order {
    lanes: Mutex<Vec<Arc<Lane>>>,
    fault: Mutex<Option<Code>>,
    /// What is captured of the context's streams.
    pub captures: Arc<Captures>,
}

impl Order {
    /// Adds a lane.
    pub fn open(&self, kind: Kind) -> Arc<Lane> {
        let lane = Arc::new(Lane::new(kind));
        let mut lanes = lock(&self.lanes);
        // A lane that only this list knows belongs to a destroyed stream; once it has drained it is history.
        lanes.retain(|lane| Arc::strong_count(lane) > 1 || !lane.last().reached());
        lanes.push(Arc::clone(&lane));
        lane
    }

    /// Numbers a piece of work on a lane and hands `send` what it has to wait for.
    pub fn submit(
        &self,
        lane: &Arc<Lane>,
        send: impl FnOnce(u64, Vec<Point>) -> Result<()>,
    ) -> Result<Point> {
        let lanes = lock(&self.lanes);
        let before = lanes.iter().filter(|other| comes_before(other.kind, lane.kind));
        let after: Vec<Point> = before.map(Lane::last).filter(|point| !point.reached()).collect();
        let number = lane.next();
        send(number, after)?;
        Ok(Point::new(lane, number))
    }

    /// The last work of every lane.
    pub fn last(&self) -> Vec<Point> {
        lock(&self.lanes).iter().map(Lane::last).collect()
    }

    /// The last work of every lane that the legacy stream synchronises with, itself included.
    pub fn last_of_legacy(&self) -> Vec<Point> {
        let lanes = lock(&self.lanes);
        lanes.iter().filter(|lane| lane.kind != Kind::NonBlocking).map(Lane::last).collect()
    }

    /// Blocks until all submitted work is finished.
    pub fn synchronize(&self) {
        self.last().iter().for_each(Point::wait);
    }

    /// Keeps the first fault: like the real driver's, it stays until the context goes.
    pub fn set_fault(&self, code: Code) {
        lock(&self.fault).get_or_insert(code);
    }

    /// Fails if work failed earlier.
    pub fn check(&self) -> Result<()> {
        lock(&self.fault).map_or(Ok(()), Err)
    }
}

fn comes_before(other: Kind, this: Kind) -> bool {
    matches!((other, this), (Kind::Blocking, Kind::Legacy) | (Kind::Legacy, Kind::Blocking))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(order: &Order, lane: &Arc<Lane>) -> usize {
        let mut count = 0;
        let counted = order.submit(lane, |_, after| {
            count = after.len();
            Ok(())
        });
        counted.unwrap();
        count
    }

    #[test]
    fn the_legacy_stream_and_blocking_streams_wait_for_each_other() {
        let order = Order::default();
        let (legacy, blocking, free) =
            (order.open(Kind::Legacy), order.open(Kind::Blocking), order.open(Kind::NonBlocking));
        assert_eq!(waits(&order, &blocking), 0, "nothing on the legacy stream");
        assert_eq!(waits(&order, &free), 0);
        assert_eq!(waits(&order, &legacy), 1, "the blocking stream only");
        assert_eq!(waits(&order, &blocking), 1);
        assert_eq!(waits(&order, &free), 0);
    }

    #[test]
    fn the_first_fault_stays() {
        let order = Order::default();
        order.set_fault(Code::IllegalAddress);
        order.set_fault(Code::Unknown);
        assert_eq!(order.check(), Err(Code::IllegalAddress));
    }
}
