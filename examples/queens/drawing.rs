//! A solution as a line of text, and as a drawn board.

use std::fmt;

/// The row of each column, separated by blanks.
pub fn line(rows: &[u32]) -> String {
    let words: Vec<_> = rows.iter().map(u32::to_string).collect();
    words.join(" ")
}

/// The board with a queen in this row of each column, row 0 first: `Q` for a queen, `.` for an empty square.
pub struct Drawing<'a>(pub &'a [u32]);

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut columns = vec![0; self.0.len()];
        for (column, &row) in self.0.iter().enumerate() {
            columns[row as usize] = column;
        }
        let empty = ".".repeat(columns.len());
        for (row, &column) in columns.iter().enumerate() {
            let line_break = if row == 0 { "" } else { "\n" };
            write!(f, "{line_break}{}Q{}", &empty[..column], &empty[column + 1..])?;
        }
        Ok(())
    }
}
