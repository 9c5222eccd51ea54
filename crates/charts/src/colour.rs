//! The colours of heat maps.

/// From low to high: lightness rises evenly and no hue matters, so that it reads in grey and with any
/// kind of colour vision (viridis, van der Walt and Smith 2015, which is in the public domain).
const RAMP: [[f64; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 45.0, 123.0],
    [59.0, 82.0, 139.0],
    [44.0, 114.0, 142.0],
    [33.0, 145.0, 140.0],
    [40.0, 174.0, 128.0],
    [94.0, 201.0, 98.0],
    [173.0, 220.0, 48.0],
    [253.0, 231.0, 37.0],
];

/// A colour.
#[derive(Clone, Copy)]
pub struct Colour([f64; 3]);

impl Colour {
    /// The colour of a share between 0 and 1.
    pub fn of(share: f64) -> Colour {
        let place = if share.is_finite() { share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64 } else { 0.0 };
        let before = (place as usize).min(RAMP.len() - 2);
        let part = place - before as f64;
        Colour(std::array::from_fn(|i| RAMP[before][i] * (1.0 - part) + RAMP[before + 1][i] * part))
    }

    /// As a style sheet writes it.
    pub fn css(self) -> String {
        let [red, green, blue] = self.0.map(|part| part.round() as u8);
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// Whether text on it should be dark rather than light: whichever has the more contrast.
    pub fn wants_dark_text(self) -> bool {
        self.luminance() > 0.179
    }

    /// Relative luminance as in the WCAG.
    pub fn luminance(self) -> f64 {
        let linear = |part: f64| {
            let part = part / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}
