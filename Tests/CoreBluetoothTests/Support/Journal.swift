// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import HCITransports
import Synchronization

/// A record of events, as lines in their order. Tests wait for lines, and not for time to pass.
final class Journal: Sendable {
    /// The executor whose virtual time passes only while the test waits for a line. `nil` if the
    /// test runs on that executor.
    private let holder: (any HostExecutor)?

    private struct Waiter {
        let number: Int
        let condition: @Sendable ([String]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var lines: [String] = []
        var waiters: [Waiter] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Creates an empty record.
    ///
    /// - Parameter holder: The executor of a test that runs on another thread, such as the main
    ///   actor's. Its time passes only while the test waits for a line. The test must have called
    ///   its `beginOutsideWork`.
    init(holding holder: (any HostExecutor)? = nil) {
        self.holder = holder
    }

    var lines: [String] { state.withLock { $0.lines } }

    func add(_ line: String) {
        let ready = state.withLock { state in
            state.lines.append(line)
            let ready = state.waiters.filter { $0.condition(state.lines) }
            state.waiters.removeAll { waiter in ready.contains { $0.number == waiter.number } }
            return ready
        }
        for waiter in ready { resume(waiter) }
    }

    private func resume(_ waiter: Waiter) {
        holder?.beginOutsideWork()
        waiter.continuation.resume()
    }

    func clear() {
        state.withLock { $0.lines = [] }
    }

    /// Waits for a line that begins with `text`.
    func wait(for text: String) async {
        await wait { lines in lines.contains { $0.hasPrefix(text) } }
    }

    /// Waits for this number of lines that begin with `text`.
    func wait(for text: String, count: Int) async {
        await wait { lines in lines.count { $0.hasPrefix(text) } >= count }
    }

    /// Waits until the lines satisfy the condition. If they never do, the method returns when the
    /// task is canceled: the bound of `Fixture.run` or the time limit of the test cancels it.
    func wait(until condition: @escaping @Sendable ([String]) -> Bool) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if condition(state.lines) || Task.isCancelled { return true }
                    state.waiters.append(
                        Waiter(number: number, condition: condition, continuation: continuation)
                    )
                    return false
                }
                if isReady { continuation.resume() } else { holder?.endOutsideWork() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            if let waiter { resume(waiter) }
        }
    }
}

// The texts of errors and states in the lines.
extension Journal {
    static func text(_ error: (any Error)?) -> String {
        switch error {
        case nil: "ok"
        case let error as CBError: "CBError \(error.code.rawValue)"
        case let error as CBATTError: "CBATTError \(error.code.rawValue)"
        case let error?: "\(error)"
        }
    }

    static func text(_ state: CBManagerState) -> String {
        switch state {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        @unknown default: "(\(state.rawValue))"
        }
    }
}
