// SPDX-License-Identifier: Apache-2.0

/// Who waits for the end of a request: a task, or whoever came by the port.
enum Waiter {
    case task(CheckedContinuation<HostAnswer, any Error>)
    case completion(BluetoothHost.Completion)

    /// Tells how the request ended. To be called once.
    func resume(with result: Result<HostAnswer, any Error>) {
        switch self {
        case .task(let continuation): continuation.resume(with: result)
        case .completion(let completion): completion(result)
        }
    }
}
