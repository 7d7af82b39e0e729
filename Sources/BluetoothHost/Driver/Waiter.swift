// SPDX-License-Identifier: Apache-2.0

/// The recipient of a request's result: a task, or a completion of the port.
enum Waiter {
    case task(CheckedContinuation<HostAnswer, any Error>)
    case completion(BluetoothHost.Completion)

    /// Completes the request. Call it once.
    func resume(with result: Result<HostAnswer, any Error>) {
        switch self {
        case .task(let continuation): continuation.resume(with: result)
        case .completion(let completion): completion(result)
        }
    }
}
