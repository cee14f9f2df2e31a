//! Figures against memory, as drawings.

use std::{collections::BTreeSet, path::Path};

use plotters::{coord::Shift, prelude::*};

use super::{figure::Figure, row::Row, setting::size_label};
use crate::Failure;

const WIDTH: u32 = 900;
const PANEL_HEIGHT: u32 = 450;
const FONT: &str = "sans-serif";

/// The colours of Okabe and Ito (2008), which colour-blind people can tell apart; without the yellow, which is hard to
/// see on white.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    BLACK,
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A line of a plot: its name in the legend, and its points by ascending memory.
struct Line {
    name: String,
    points: Vec<(usize, f64)>,
}

/// Draws `figures`, each with a caption, in panels one above the other. A panel has a line for every combination of
/// settings other than the memory.
pub fn draw(path: &Path, figures: &[(String, Figure)], rows: &[Row]) -> Result<(), Failure> {
    let area = SVGBackend::new(path, (WIDTH, PANEL_HEIGHT * figures.len() as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    for (panel, (caption, figure)) in area.split_evenly((figures.len(), 1)).iter().zip(figures) {
        draw_panel(panel, caption, figure, rows)?;
    }
    area.present()?;
    Ok(())
}

fn draw_panel(area: &Area<'_>, caption: &str, figure: &Figure, rows: &[Row]) -> Result<(), Failure> {
    let budgets: BTreeSet<usize> = rows.iter().map(|row| row.setting.memory).collect();
    let (smallest, largest) = budgets.first().zip(budgets.last()).ok_or("nothing to draw")?;
    let lines = lines(figure, rows);
    let count = lines.len() as u32;
    let values = lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    let highest = values.max_by(f64::total_cmp).filter(|&value| value > 0.0).unwrap_or(1.0);
    // Leaves room for the legend.
    let top = highest * (1.1 + 0.07 * f64::from(count));

    let across = (smallest / 3 * 2..largest.saturating_add(largest / 2)).log_scale();
    let mut chart = ChartBuilder::on(area)
        .caption(caption, (FONT, 22))
        .margin(15)
        .x_label_area_size(50)
        .y_label_area_size(80)
        .build_cartesian_2d(across.with_key_points(budgets.iter().copied().collect()), 0.0..top)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .y_max_light_lines(2)
        .x_desc("memory budget")
        .y_desc(figure.heading)
        .x_labels(budgets.len())
        .x_label_formatter(&|&bytes| size_label(bytes))
        .label_style((FONT, 15))
        .axis_desc_style((FONT, 16))
        .draw()?;
    for (at, line) in (0..count).zip(lines) {
        let colour = COLOURS[at as usize % COLOURS.len()];
        // Earlier lines have larger points: where lines coincide, their points are rings within each other.
        let series = LineSeries::new(line.points, colour.stroke_width(2)).point_size((1 + 2 * (count - at)).min(9));
        let sample = move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2));
        chart.draw_series(series)?.label(line.name).legend(sample);
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font((FONT, 15))
        .draw()?;
    Ok(())
}

fn lines(figure: &Figure, rows: &[Row]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let name = row.setting.but_memory();
        let at = lines.iter().position(|line| line.name == name).unwrap_or_else(|| {
            lines.push(Line { name, points: Vec::new() });
            lines.len() - 1
        });
        let value = row.median(figure).map(|value| figure.scaled(value));
        lines[at].points.extend(value.map(|value| (row.setting.memory, value)));
    }
    for line in &mut lines {
        line.points.sort_by_key(|point| point.0);
    }
    lines
}
