//! Where a function on a grid exceeds a level (marching squares).

use crate::canvas::along;

/// A point in the grid: column and row, with parts between two of them.
type Spot = (f64, f64);

/// The part of a square in which values exceed the level, and its edges inside the square.
struct Piece {
    corners: Vec<Spot>,
    edges: Vec<[Spot; 2]>,
}

/// A path around the area in which values exceed the level; `at` tells where a spot of the grid is drawn.
pub fn area(rows: &[Vec<f64>], level: f64, at: impl Fn(Spot) -> Spot) -> String {
    let mut d = String::new();
    for row in 1..rows.len() {
        let mut whole: Option<usize> = None;
        let columns = rows[row].len().min(rows[row - 1].len());
        for column in 1..=columns {
            let piece = if column < columns { piece(rows, row, column, level) } else { None };
            // Squares that are inside altogether make up one rectangle, up to the next that is not.
            if piece.as_ref().is_some_and(|piece| piece.edges.is_empty()) {
                whole.get_or_insert(column);
                continue;
            }
            let rectangle = whole.take().map(|from| {
                let corners = [(from - 1, row - 1), (column - 1, row - 1), (column - 1, row), (from - 1, row)];
                corners.map(|(x, y)| (x as f64, y as f64)).to_vec()
            });
            for corners in rectangle.into_iter().chain(piece.map(|piece| piece.corners)) {
                d += &(along(corners.into_iter().map(&at)) + "Z");
            }
        }
    }
    d
}

/// A path along the line on which values equal the level.
pub fn line(rows: &[Vec<f64>], level: f64, at: impl Fn(Spot) -> Spot) -> String {
    let columns = |row: usize| rows[row].len().min(rows[row - 1].len());
    let squares = (1..rows.len()).flat_map(|row| (1..columns(row)).map(move |column| (row, column)));
    let pieces = squares.filter_map(|(row, column)| piece(rows, row, column, level));
    pieces.flat_map(|piece| piece.edges).map(|edge| along(edge.into_iter().map(&at))).collect()
}

/// The square whose upper right corner is given. `None` where a corner has no number, or none is inside.
fn piece(rows: &[Vec<f64>], row: usize, column: usize, level: f64) -> Option<Piece> {
    let corners = [(column - 1, row - 1), (column, row - 1), (column, row), (column - 1, row)];
    let heights = corners.map(|(x, y)| rows[y][x] - level);
    if heights.iter().any(|height| !height.is_finite()) || heights.iter().all(|height| *height <= 0.0) {
        return None;
    }
    let spots = corners.map(|(x, y)| (x as f64, y as f64));
    let mut piece = Piece { corners: Vec::new(), edges: Vec::new() };
    let (mut entries, mut exits) = (Vec::new(), Vec::new());
    for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
        let (inside, next_inside) = (heights[i] > 0.0, heights[j] > 0.0);
        if inside {
            piece.corners.push(spots[i]);
        }
        if inside != next_inside {
            let part = heights[i] / (heights[i] - heights[j]);
            let crossing =
                (spots[i].0 + part * (spots[j].0 - spots[i].0), spots[i].1 + part * (spots[j].1 - spots[i].1));
            piece.corners.push(crossing);
            // An exit is joined with the entry that follows it.
            if inside { exits.push(crossing) } else { entries.push(crossing) }
        }
    }
    if !exits.is_empty() && heights[0] <= 0.0 {
        entries.rotate_left(1);
    }
    piece.edges = exits.into_iter().zip(entries).map(|(exit, entry)| [exit, entry]).collect();
    Some(piece)
}
