//! The right answers.

/// The number of solutions by board size.
pub const SOLUTIONS: [u32; 17] =
    [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14_200, 73_712, 365_596, 2_279_184, 14_772_512];
