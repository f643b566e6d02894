//! A list that grows while others read it.

use std::sync::OnceLock;

/// Values that keep their place, and their index, until the list goes.
pub struct List<T> {
    first: Link<T>,
}

type Link<T> = OnceLock<Box<Item<T>>>;

struct Item<T> {
    value: T,
    next: Link<T>,
}

impl<T> List<T> {
    /// Adds a value at the end: its index.
    pub fn push(&self, value: T) -> usize {
        let mut item = Box::new(Item { value, next: OnceLock::new() });
        let (mut end, mut index) = (&self.first, 0);
        loop {
            while let Some(other) = end.get() {
                (end, index) = (&other.next, index + 1);
            }
            match end.set(item) {
                Ok(()) => return index,
                // Another thread was first.
                Err(back) => item = back,
            }
        }
    }

    /// The values in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let first = self.first.get();
        std::iter::successors(first, |last| last.next.get()).map(|item| &item.value)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { first: OnceLock::new() }
    }
}

impl<T> Drop for List<T> {
    /// One by one: dropped with the first, each would take a call within the call that drops the one before.
    fn drop(&mut self) {
        let mut rest = self.first.take();
        while let Some(mut item) = rest {
            rest = item.next.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_index() {
        let list = List::default();
        assert_eq!([list.push('a'), list.push('b')], [0, 1]);
        let first = list.iter().next();
        assert_eq!(list.push('c'), 2);
        assert_eq!(first, Some(&'a'));
        assert!(list.iter().eq(&['a', 'b', 'c']));
    }

    #[test]
    fn nothing_that_several_threads_add_is_lost() {
        let list = List::default();
        let add = |value: usize| {
            let index = list.push(value);
            assert_eq!(list.iter().nth(index), Some(&value));
        };
        std::thread::scope(|scope| {
            (0..4).for_each(|thread| {
                scope.spawn(move || (0..200).for_each(|step| add(200 * thread + step)));
            });
        });
        let mut values: Vec<usize> = list.iter().copied().collect();
        values.sort_unstable();
        assert!(values.into_iter().eq(0..800));
    }

    #[test]
    fn a_long_list_goes_without_deep_calls() {
        let mut list = List::default();
        for value in 0..1_000_000 {
            let next = list.first.take().map_or_else(Link::new, Link::from);
            list.first = Link::from(Box::new(Item { value, next }));
        }
        drop(list);
    }
}
