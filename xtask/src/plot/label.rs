//! Places labels beside the ends of their lines without overlap.

/// Moves `wanted` positions apart until neighbours are at least `gap` apart, as little as possible, within
/// `low..=high`. The order of the answer is the order of `wanted`.
pub fn push_apart(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    // With the gaps taken out, the labels only have to stay in order: neighbours that would not are averaged.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (rank, index) in order.iter().enumerate() {
        let mut block = (wanted[*index] - rank as f64 * gap, 1);
        while let Some(last) = blocks.pop_if(|last| last.0 > block.0) {
            let count = last.1 + block.1;
            block = ((last.0 * last.1 as f64 + block.0 * block.1 as f64) / count as f64, count);
        }
        blocks.push(block);
    }
    let room = (high - wanted.len().saturating_sub(1) as f64 * gap).max(low);
    let flat =
        blocks.into_iter().flat_map(|(place, count)| std::iter::repeat_n(place.clamp(low, room), count));
    let mut placed = vec![0.0; wanted.len()];
    for (rank, (index, place)) in order.iter().zip(flat).enumerate() {
        placed[*index] = place + rank as f64 * gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_labels_alone_that_have_room() {
        assert_eq!(push_apart(&[50.0, 10.0], 16.0, 0.0, 100.0), [50.0, 10.0]);
    }

    #[test]
    fn moves_close_labels_apart_around_their_middle() {
        assert_eq!(push_apart(&[50.0, 50.0, 51.0], 10.0, 0.0, 100.0).iter().sum::<f64>().round(), 151.0);
        let placed = push_apart(&[99.0, 98.0, 97.0, 1.0], 10.0, 0.0, 100.0);
        assert_eq!(placed, [100.0, 90.0, 80.0, 1.0]);
    }

    #[test]
    fn copes_with_nothing() {
        assert!(push_apart(&[], 10.0, 0.0, 100.0).is_empty());
    }
}
