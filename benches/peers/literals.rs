//! The smallest part of the recipe: one square.

/// The literals of S(i, j) by ascending variable: true on (i, j) itself, false on every square attacked from there.
pub fn literals(n: u16, i: u16, j: u16) -> impl DoubleEndedIterator<Item = (u16, bool)> {
    (0..n * n).filter_map(move |variable| {
        let (down, right) = ((variable / n).abs_diff(i), (variable % n).abs_diff(j));
        let on_a_line = down == 0 || right == 0 || down == right;
        on_a_line.then_some((variable, down + right == 0))
    })
}
