// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes

extension AccessoryProfile {
    /// A box that speaks JSON: messages between STX (0x02) and ETX (0x03) are written to one
    /// characteristic, and come back by another, in as many pieces as they need.
    ///
    /// It answers every request with what it was asked, and tells back what it is told:
    ///
    /// | it gets | it sends |
    /// | --- | --- |
    /// | `{"ask":…,"id":7}` | `{"answer":…,"id":7}` with the same in it |
    /// | `{"tell":…}` | the same |
    /// | `{"ask":"refuse","id":7}` | `{"refuse":"as you wish","id":7}` |
    /// | `{"ask":"disconnect","id":7}` | nothing: it ends the connection |
    public static func messageBox(name: String) -> AccessoryProfile {
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
                    descriptors: [.userDescription("For paired Centrals only")],
                    requirement: .encrypted
                ),
            ]
        )
        return AccessoryProfile(
            name: name,
            services: [box, battery(level: 73)],
            pairing: AccessoryPairing(.noInputNoOutput)
        )
    }
}

/// What the message box does.
enum MessageBox {
    static let inbox = BluetoothUUID.example(0x1D01)
    static let outbox = BluetoothUUID.example(0x1D02)
    /// Shows itself over encrypted links only: by that a Central learns whether it is paired.
    static let secret = BluetoothUUID.example(0x1D03)

    private static let start: UInt8 = 0x02
    private static let end: UInt8 = 0x03

    /// Takes a piece of a message, or of several. What is not complete yet it keeps as the value of the
    /// inbox, which nobody can read: so a message has 511 octets at most. An STX always begins anew,
    /// and what stands outside of messages counts for nothing.
    static func take(
        _ written: [UInt8],
        _ values: inout AccessoryValues
    ) -> WriteReaction.Outcome {
        var partial = values[inbox]
        var deeds: [AccessoryDeed] = []
        for octet in written {
            switch octet {
            case start: partial = [start]
            case end where !partial.isEmpty:
                if let deed = answer(to: partial.dropFirst()) { deeds.append(deed) }
                partial = []
            default:
                guard !partial.isEmpty else { continue }
                partial.append(octet)
                if partial.count > ATT.valueLengthLimit { partial = [] }
            }
        }
        values[inbox] = partial
        return .accepted(deeds)
    }

    /// What it does when a message has come; nil for nothing, if it is no envelope.
    private static func answer(to message: ArraySlice<UInt8>) -> AccessoryDeed? {
        guard let envelope = ShallowJSON(message) else { return nil }
        guard let question = envelope["ask"], let id = envelope["id"] else {
            return envelope["tell"].map { send(#"{"tell":"#, $0, "}") }
        }
        switch String(decoding: question, as: UTF8.self) {
        case #""disconnect""#: return .disconnect
        case #""refuse""#: return send(#"{"refuse":"as you wish","id":"#, id, "}")
        default: return send(#"{"answer":"#, question + #","id":"#.utf8 + id, "}")
        }
    }

    private static func send(
        _ before: String,
        _ body: ArraySlice<UInt8>,
        _ after: String
    ) -> AccessoryDeed {
        .sendOctets([start] + before.utf8 + body + after.utf8 + [end], of: outbox)
    }
}
