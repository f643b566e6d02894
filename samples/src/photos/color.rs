//! [`Color`]: red, green and blue as a screen shows them, from 0 to 1.

use std::ops::{Add, Mul};

/// A colour; above 1 it is overexposed, and cut off when it is developed.
#[derive(Clone, Copy, Debug)]
pub struct Color {
    pub red: f32,
    pub green: f32,
    pub blue: f32,
}

impl Color {
    /// Of the three bytes that web pages write.
    pub const fn hex(bytes: u32) -> Self {
        let [_, red, green, blue] = bytes.to_be_bytes();
        Self { red: red as f32 / 255.0, green: green as f32 / 255.0, blue: blue as f32 / 255.0 }
    }

    /// This at 0, the other at 1, and evenly in between.
    pub fn mix(self, other: Self, share: f32) -> Self {
        let share = share.clamp(0.0, 1.0);
        self * (1.0 - share) + other * share
    }

    /// The colour along a gradient of places, which ascend.
    pub fn along(stops: &[(f32, Self)], at: f32) -> Self {
        let mut color = stops.first().map_or(Self::hex(0), |stop| stop.1);
        for pair in stops.windows(2) {
            let [(from, _), (to, next)] = [pair[0], pair[1]];
            color = color.mix(next, (at - from) / (to - from));
        }
        color
    }

    /// As bytes.
    pub fn bytes(self) -> [u8; 3] {
        // A cast of a float cuts off what is too large or too small.
        [self.red, self.green, self.blue].map(|value| (value * 255.0 + 0.5) as u8)
    }
}

impl Add for Color {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { red: self.red + other.red, green: self.green + other.green, blue: self.blue + other.blue }
    }
}

impl Mul<f32> for Color {
    type Output = Self;

    fn mul(self, factor: f32) -> Self {
        Self { red: self.red * factor, green: self.green * factor, blue: self.blue * factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_pass_their_stops() {
        let stops = [(0.0, Color::hex(0x000000)), (0.5, Color::hex(0xFF8000)), (1.0, Color::hex(0xFFFFFF))];
        assert_eq!(Color::along(&stops, -1.0).bytes(), [0, 0, 0]);
        assert_eq!(Color::along(&stops, 0.5).bytes(), [255, 128, 0]);
        assert_eq!(Color::along(&stops, 0.75).bytes(), [255, 192, 128]);
        assert_eq!(Color::along(&stops, 2.0).bytes(), [255, 255, 255]);
    }
}
