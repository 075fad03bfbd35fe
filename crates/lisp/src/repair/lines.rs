//! Which lines of a text are new: a line diff that is bounded in time.

use std::collections::HashMap;
use std::ops::Range;

/// Lines of the text before that became lines of the text after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) before: Range<usize>,
    pub(super) after: Range<usize>,
}

/// The most pairs of lines compared one by one.
const MAX_PAIRS: usize = 250_000;

/// Returns the hunks in which two texts differ, as line numbers from 0.
pub(super) fn diff(before: &str, after: &str) -> Vec<Hunk> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |line| {
        let next = numbers.len() as u32;
        *numbers.entry(line).or_insert(next)
    };
    let before: Vec<u32> = before.split('\n').map(&mut number).collect();
    let after: Vec<u32> = after.split('\n').map(&mut number).collect();
    let mut hunks = Vec::new();
    // Stretches still to be compared; a stack instead of recursion.
    let mut todo = vec![(0..before.len(), 0..after.len())];
    while let Some((mut old, mut new)) = todo.pop() {
        while !old.is_empty() && !new.is_empty() && before[old.start] == after[new.start] {
            (old.start, new.start) = (old.start + 1, new.start + 1);
        }
        while !old.is_empty() && !new.is_empty() && before[old.end - 1] == after[new.end - 1] {
            (old.end, new.end) = (old.end - 1, new.end - 1);
        }
        if old.is_empty() && new.is_empty() {
            continue;
        }
        let pairs = if old.len() * new.len() <= MAX_PAIRS {
            common(&before[old.clone()], &after[new.clone()])
        } else {
            unique_common(&before[old.clone()], &after[new.clone()])
        };
        if pairs.is_empty() {
            hunks.push(Hunk { before: old, after: new });
            continue;
        }
        let (mut from_old, mut from_new) = (old.start, new.start);
        for (old_idx, new_idx) in pairs {
            let (old_at, new_at) = (old.start + old_idx, new.start + new_idx);
            if from_old < old_at || from_new < new_at {
                todo.push((from_old..old_at, from_new..new_at));
            }
            (from_old, from_new) = (old_at + 1, new_at + 1);
        }
        if from_old < old.end || from_new < new.end {
            todo.push((from_old..old.end, from_new..new.end));
        }
    }
    hunks.sort_by_key(|it| (it.after.start, it.before.start));
    hunks
}

/// The longest common subsequence, by the full table.
fn common(before: &[u32], after: &[u32]) -> Vec<(usize, usize)> {
    if before.is_empty() || after.is_empty() {
        return Vec::new();
    }
    let width = after.len() + 1;
    let mut lengths = vec![0_u32; (before.len() + 1) * width];
    for old in (0..before.len()).rev() {
        for new in (0..after.len()).rev() {
            lengths[old * width + new] = match before[old] == after[new] {
                true => lengths[(old + 1) * width + new + 1] + 1,
                false => lengths[(old + 1) * width + new].max(lengths[old * width + new + 1]),
            };
        }
    }
    let (mut old, mut new) = (0, 0);
    let mut pairs = Vec::new();
    while old < before.len() && new < after.len() {
        if before[old] == after[new] {
            pairs.push((old, new));
            (old, new) = (old + 1, new + 1);
        } else if lengths[(old + 1) * width + new] >= lengths[old * width + new + 1] {
            old += 1;
        } else {
            new += 1;
        }
    }
    pairs
}

/// Lines that occur once in each text, in an order both texts have.
fn unique_common(before: &[u32], after: &[u32]) -> Vec<(usize, usize)> {
    let once = |lines: &[u32]| {
        let mut places: HashMap<u32, Option<usize>> = HashMap::new();
        for (idx, &line) in lines.iter().enumerate() {
            places.entry(line).and_modify(|it| *it = None).or_insert(Some(idx));
        }
        places
    };
    let (old_places, new_places) = (once(before), once(after));
    let mut pairs: Vec<(usize, usize)> = old_places
        .iter()
        .filter_map(|(line, old)| Some(((*old)?, new_places.get(line).copied().flatten()?)))
        .collect();
    pairs.sort_unstable();
    // Longest increasing run of the second numbers.
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; pairs.len()];
    for idx in 0..pairs.len() {
        let place = tails.partition_point(|&it| pairs[it].1 < pairs[idx].1);
        previous[idx] = place.checked_sub(1).map(|it| tails[it]);
        match tails.get_mut(place) {
            Some(tail) => *tail = idx,
            None => tails.push(idx),
        }
    }
    let mut chain = Vec::new();
    let mut at = tails.last().copied();
    while let Some(idx) = at {
        chain.push(pairs[idx]);
        at = previous[idx];
    }
    chain.reverse();
    chain
}
