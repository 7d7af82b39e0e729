// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes
import JSONText

extension SimpleAccessoryProfile {
    /// Returns a box that exchanges JSON messages. A central writes messages between STX (0x02) and
    /// ETX (0x03) to one characteristic, and the box sends its messages as notifications of
    /// another, in as many parts as they need.
    ///
    /// The box answers a request with its content, with two exceptions, and repeats a message with
    /// `tell`:
    ///
    /// | received | sent |
    /// | --- | --- |
    /// | `{"ask":…,"id":7}` | `{"answer":…,"id":7}` with the same content |
    /// | `{"tell":…}` | the same |
    /// | `{"ask":"refuse","id":7}` | `{"refuse":"as you asked","id":7}` |
    /// | `{"ask":"disconnect","id":7}` | nothing: the box disconnects |
    public static func messageBox(name: String) -> SimpleAccessoryProfile {
        let box = Service(
            BluetoothUUID.example(0x1D00),
            [
                Characteristic(
                    MessageBox.inbox,
                    [.write, .writeWithoutResponse],
                    descriptors: [.userDescription("Messages to the box")],
                    reaction: WriteReaction(MessageBox.take)
                ),
                Characteristic(
                    MessageBox.outbox,
                    .notify,
                    descriptors: [.userDescription("Messages from the box")]
                ),
                Characteristic(
                    MessageBox.secret,
                    .read,
                    value: Array("box".utf8),
                    descriptors: [.userDescription("For paired centrals only")],
                    requirement: .encrypted
                ),
            ]
        )
        return SimpleAccessoryProfile(
            name: name,
            services: [box, battery(level: 73)],
            pairing: AccessoryPairing(.noInputNoOutput)
        )
    }
}

/// The behavior of the message box.
enum MessageBox {
    static let inbox = BluetoothUUID.example(0x1D01)
    static let outbox = BluetoothUUID.example(0x1D02)
    /// A value that can be read only on an encrypted link, so that a central can find out whether
    /// it is paired.
    static let secret = BluetoothUUID.example(0x1D03)

    private static let start: UInt8 = 0x02
    private static let end: UInt8 = 0x03

    /// Accepts bytes that are a part of one or more messages. An STX always begins a new message.
    /// Bytes outside messages are ignored.
    ///
    /// The inbox cannot be read. Its value is the incomplete message, beginning with the STX. A
    /// value has at most 512 bytes, so a message has at most 511.
    static func take(
        _ written: [UInt8],
        _ values: inout AccessoryValues
    ) -> WriteReaction.Outcome {
        var partial = values[inbox]
        var actions: [AccessoryAction] = []
        for byte in written {
            switch byte {
            case start: partial = [start]
            case end where !partial.isEmpty:
                if let action = answer(to: partial.dropFirst()) { actions.append(action) }
                partial = []
            default:
                guard !partial.isEmpty else { continue }
                partial.append(byte)
                if partial.count > ATT.valueLengthLimit { partial = [] }
            }
        }
        values[inbox] = partial
        return .accepted(actions)
    }

    /// Returns the answer to a message; `nil` if it is neither a request nor a message with `tell`.
    private static func answer(to message: ArraySlice<UInt8>) -> AccessoryAction? {
        guard let envelope = JSON.RawMembers(message) else { return nil }
        guard let question = envelope["ask"], let id = envelope["id"] else {
            return envelope["tell"].map { send(#"{"tell":"#, $0, "}") }
        }
        switch String(decoding: question, as: UTF8.self) {
        case #""disconnect""#: return .disconnect
        case #""refuse""#: return send(#"{"refuse":"as you asked","id":"#, id, "}")
        default: return send(#"{"answer":"#, question + #","id":"#.utf8 + id, "}")
        }
    }

    private static func send(
        _ before: String,
        _ body: ArraySlice<UInt8>,
        _ after: String
    ) -> AccessoryAction {
        .sendBytes([start] + before.utf8 + body + after.utf8 + [end], of: outbox)
    }
}
