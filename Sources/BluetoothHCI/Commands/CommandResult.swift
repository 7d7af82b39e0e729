// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The result of a command, as the command queue determined it.
package enum CommandResult: Sendable, Equatable {
    /// Command Complete arrived. The value is its return parameters, which begin with the status.
    case complete(ArraySlice<UInt8>)
    /// Command Status arrived.
    case status(HCI.ErrorCode)
    /// The controller did not answer in time.
    case timedOut
    /// The queue ended the command without an answer, because the queue was full or was reset, or
    /// because the controller did not respond.
    case discarded
}

/// The reason why a command did not succeed.
package enum CommandFailure: Error, Equatable, Sendable {
    /// The controller answered with an error.
    case refused(HCI.ErrorCode)
    case timedOut
    case discarded
    /// The answer reports success but does not have the required content.
    case malformed
}

extension CommandResult {
    /// Decodes the return parameters of a successful `Command`.
    ///
    /// The function ignores bytes after the known parameters, because a later version of a
    /// controller may append some.
    ///
    /// - Throws: ``CommandFailure`` if the command did not succeed or the answer is malformed.
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

    /// Checks that the controller accepted or completed a command whose return parameters are not
    /// needed.
    ///
    /// - Throws: ``CommandFailure`` if the command did not succeed.
    package func requireSuccess() throws(CommandFailure) {
        if case .status(.success) = self { return }
        _ = try successfulReader()
    }

    /// Returns the return parameters after a status byte that reports success.
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
