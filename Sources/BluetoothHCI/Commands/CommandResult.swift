// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// How a command ended, as its queue saw it.
package enum CommandResult: Sendable, Equatable {
    /// Command Complete came; its return parameters, the status first.
    case complete(ArraySlice<UInt8>)
    /// Command Status came.
    case status(HCI.ErrorCode)
    /// The controller did not answer in time.
    case timedOut
    /// It was never sent, or its answer cannot come any more: the queue was full, or was reset.
    case discarded
}

/// Why a command did not succeed.
package enum CommandFailure: Error, Equatable, Sendable {
    /// The controller answered with an error.
    case refused(HCI.ErrorCode)
    case timedOut
    case discarded
    /// The answer says success but does not hold what it must.
    case malformed
}

extension CommandResult {
    /// What the answer to a `Command` holds, if it succeeded.
    ///
    /// Octets beyond those that are known are ignored: a later version of a controller may add
    /// some, and a start-up that fails for that would help nobody.
    package func decode<Command: CommandCompleteCommand>(
        as command: Command.Type
    ) throws(CommandFailure) -> Command.ReturnParameters {
        var reader = try successfulReader()
        do {
            return try Command.ReturnParameters(from: &reader)
        } catch {
            throw .malformed
        }
    }

    /// Returns if the controller accepted or completed the command; for those whose answer holds
    /// nothing else.
    package func requireSuccess() throws(CommandFailure) {
        if case .status(.success) = self { return }
        _ = try successfulReader()
    }

    /// The answer after its status octet, which says success.
    private func successfulReader() throws(CommandFailure) -> ByteReader {
        switch self {
        case .complete(let parameters):
            guard let status = parameters.first else { throw .malformed }
            guard status == HCI.ErrorCode.success.rawValue else {
                throw .refused(HCI.ErrorCode(rawValue: status))
            }
            return ByteReader(parameters.dropFirst())
        case .status(.success): throw .malformed
        case .status(let code): throw .refused(code)
        case .timedOut: throw .timedOut
        case .discarded: throw .discarded
        }
    }
}
