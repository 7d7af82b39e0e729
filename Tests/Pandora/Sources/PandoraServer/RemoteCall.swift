// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import GRPCCore

/// Runs the work of a remote procedure call, and cancels it when the client cancels the call. gRPC
/// itself does not cancel the task that runs a call.
///
/// - Parameter body: The work.
/// - Returns: The result of the work.
/// - Throws: `RPCError` for every error of the work, and for the cancellation.
func untilCanceled<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let task = Task { try await body() }
    return try await withTaskCancellationHandler {
        try await withRPCCancellationHandler {
            do {
                return try await task.value
            } catch {
                throw RPCError(describing: error)
            }
        } onCancelRPC: {
            task.cancel()
        }
    } onCancel: {
        task.cancel()
    }
}

extension RPCError {
    /// Creates the error that a client gets for an error of the host.
    init(describing error: any Error) {
        switch error {
        case let error as RPCError: self = error
        case is CancellationError: self.init(code: .cancelled, message: "the call was canceled")
        case HostError.closed: self.init(code: .unavailable, message: "the host is being reset")
        case HostError.adapter(let failure):
            self.init(code: .unavailable, message: failure.description)
        case let error as AdvertisingError:
            self.init(code: .failedPrecondition, message: "\(error)")
        default: self.init(code: .internalError, message: "\(error)")
        }
    }

    /// Creates the error for a procedure or an option that the host does not have.
    static func unsupported(_ what: String) -> RPCError {
        RPCError(code: .unimplemented, message: "\(what) is not supported")
    }

    /// Creates the error for a request that is not valid.
    static func invalid(_ reason: String) -> RPCError {
        RPCError(code: .invalidArgument, message: reason)
    }
}
