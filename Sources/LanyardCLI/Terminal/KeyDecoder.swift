// SPDX-License-Identifier: Apache-2.0

/// A key of a terminal, by its meaning for a line editor.
enum TerminalKey: Equatable, Sendable {
    case character(Unicode.Scalar)
    case enter, tab, backspace, delete
    case left, right, up, down, home, end, wordLeft, wordRight
    /// Ctrl-K, Ctrl-U, Ctrl-W and Ctrl-Y.
    case killToEnd, killToStart, killWord, yank
    /// Ctrl-L.
    case clearScreen
    /// Ctrl-C.
    case interrupt
    /// Ctrl-D.
    case endOfInput
    /// Ctrl-Z.
    case suspend
}

/// A decoder of the bytes that a terminal sends for keys. The bytes may be split anywhere.
struct KeyDecoder: Sendable {
    /// The maximum length of an escape sequence in bytes. A longer sequence is dropped up to the
    /// first byte after the limit, and its other bytes are text.
    static let sequenceLimit = 32

    /// The bytes of a key whose end has not arrived.
    private var pending: [UInt8] = []

    /// Returns the keys that end in these bytes. Unknown sequences are dropped.
    mutating func receive(_ bytes: some Sequence<UInt8>) -> [TerminalKey] {
        var keys: [TerminalKey] = []
        for byte in bytes {
            pending.append(byte)
            switch Self.decode(pending) {
            case .incomplete: continue
            case .key(let key): keys.append(key)
            case .unknown: break
            }
            pending = []
        }
        return keys
    }

    private enum Result {
        case incomplete, unknown
        case key(TerminalKey)
    }

    private static func decode(_ bytes: [UInt8]) -> Result {
        guard let first = bytes.first else { return .incomplete }
        if first == escape { return decode(sequence: bytes) }
        if first < 0x20 || first == 0x7F {
            return controls[first].map { .key($0) } ?? .unknown
        }
        let length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard length > 0 else { return .unknown }
        guard bytes.count >= length else {
            let isContinued = bytes.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
            return isContinued ? .incomplete : .unknown
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            let scalar = text.unicodeScalars.first
        else { return .unknown }
        return .key(.character(scalar))
    }

    private static let escape: UInt8 = 0x1B

    private static let controls: [UInt8: TerminalKey] = [
        0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right,
        0x08: .backspace, 0x09: .tab, 0x0A: .enter, 0x0B: .killToEnd, 0x0C: .clearScreen,
        0x0D: .enter, 0x0E: .down, 0x10: .up, 0x15: .killToStart, 0x17: .killWord, 0x19: .yank,
        0x1A: .suspend, 0x7F: .backspace,
    ]

    /// Decodes a sequence (ECMA-48, 5.4): ESC [, parameters, and a final byte; ESC O and a final
    /// byte; or ESC and a character for the Alt key.
    private static func decode(sequence bytes: [UInt8]) -> Result {
        guard bytes.count > 1 else { return .incomplete }
        guard bytes.count <= sequenceLimit else { return .unknown }
        switch bytes[1] {
        case UInt8(ascii: "["):
            guard bytes.count > 2, let last = bytes.last else { return .incomplete }
            guard (0x40...0x7E).contains(last) else {
                return (0x20...0x3F).contains(last) ? .incomplete : .unknown
            }
            return named(String(decoding: bytes[2...], as: UTF8.self))
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return .incomplete }
            return named(String(decoding: bytes[2...], as: UTF8.self))
        case UInt8(ascii: "b"): return .key(.wordLeft)
        case UInt8(ascii: "f"): return .key(.wordRight)
        case 0x7F, 0x08: return .key(.killWord)
        default: return .unknown
        }
    }

    private static func named(_ sequence: String) -> Result {
        sequences[sequence].map { .key($0) } ?? .unknown
    }

    /// The sequences of xterm, of the Linux console and of tmux.
    private static let sequences: [String: TerminalKey] = [
        "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end,
        "1~": .home, "7~": .home, "4~": .end, "8~": .end, "3~": .delete, "M": .enter,
        "1;5C": .wordRight, "1;5D": .wordLeft, "1;3C": .wordRight, "1;3D": .wordLeft,
    ]
}
