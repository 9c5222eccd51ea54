//! The few wire types of Protocol Buffers that a graph is written with.

/// A message being written.
#[derive(Default)]
pub(super) struct WireMessage(Vec<u8>);

impl WireMessage {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A whole number.
    pub(super) fn number(mut self, field: u64, number: i64) -> WireMessage {
        self.varint(field << 3);
        self.varint(number as u64);
        self
    }

    /// Bytes, or a text.
    pub(super) fn bytes(mut self, field: u64, bytes: impl AsRef<[u8]>) -> WireMessage {
        let bytes = bytes.as_ref();
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// A message.
    pub(super) fn message(self, field: u64, message: WireMessage) -> WireMessage {
        self.bytes(field, message.0)
    }

    /// One of a kind for each item.
    pub(super) fn each<T>(
        self,
        items: impl IntoIterator<Item = T>,
        add: impl FnMut(WireMessage, T) -> WireMessage,
    ) -> WireMessage {
        items.into_iter().fold(self, add)
    }

    /// The message as it is written.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_format_says() {
        // The examples of the format's documentation: field 1 with 150, field 2 with "testing".
        assert_eq!(WireMessage::default().number(1, 150).into_bytes(), [0x08, 0x96, 0x01]);
        let text = WireMessage::default().bytes(2, "testing").into_bytes();
        assert_eq!(text, [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]);
        let nested = WireMessage::default().message(3, WireMessage::default().number(1, 150)).into_bytes();
        assert_eq!(nested, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(WireMessage::default().number(1, -1).into_bytes().len(), 11);
        assert_eq!(WireMessage::default().each([1, 2], |m, n| m.number(1, n)).into_bytes(), [0x08, 1, 0x08, 2]);
    }
}
