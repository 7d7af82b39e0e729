// SPDX-License-Identifier: Apache-2.0

/// The client's side of the authentication ("Authentication Protocol").
///
/// The client uses EXTERNAL, with which the bus reads the user from the socket. The client sends no
/// user number, so that the authentication also works in a container whose user numbers differ. The
/// client also asks for the passing of file descriptors.
package struct DBusAuthentication: Sendable {
    /// The maximum length of a line from the bus in bytes.
    package static let lineLengthLimit = 16_384

    /// A result of `receive(_:)`.
    package enum Step: Equatable, Sendable {
        case send([UInt8])
        /// The authentication has succeeded. `rest` contains the bytes after it, which belong to
        /// messages.
        case done(rest: ArraySlice<UInt8>)
        case failed(DBusError)
    }

    private enum State {
        case awaitingChallenge, awaitingAcceptance, awaitingDescriptors, ended
    }

    private var state = State.awaitingChallenge
    private var line: [UInt8] = []

    package init() {}

    /// The first bytes: a zero, which carries the credentials on some systems, and the first
    /// command.
    package static let opening: [UInt8] = [0] + Array("AUTH EXTERNAL\r\n".utf8)

    package mutating func receive(_ bytes: ArraySlice<UInt8>) -> [Step] {
        var steps: [Step] = []
        var rest = bytes
        while state != .ended, let byte = rest.popFirst() {
            let isEnd = byte == 10 && line.last == 13
            line.append(byte)
            if isEnd {
                steps.append(receiveLine(rest))
                line = []
            } else if line.count >= Self.lineLengthLimit {
                steps.append(fail("a line without an end"))
            }
        }
        return steps
    }

    private mutating func receiveLine(_ rest: ArraySlice<UInt8>) -> Step {
        let text = String(decoding: line.dropLast(2), as: UTF8.self)
        let command = text.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
        switch (state, command) {
        case (.awaitingChallenge, "DATA"):
            state = .awaitingAcceptance
            return .send(Array("DATA\r\n".utf8))
        case (.awaitingChallenge, "OK"), (.awaitingAcceptance, "OK"):
            state = .awaitingDescriptors
            return .send(Array("NEGOTIATE_UNIX_FD\r\n".utf8))
        case (.awaitingDescriptors, "AGREE_UNIX_FD"), (.awaitingDescriptors, "ERROR"):
            state = .ended
            return .done(rest: rest)
        case (_, "REJECTED"):
            state = .ended
            return .failed(.notPermitted)
        default: return fail("the authentication answer '\(command.prefix(32))'")
        }
    }

    private mutating func fail(_ text: String) -> Step {
        state = .ended
        return .failed(.violation(text))
    }
}
