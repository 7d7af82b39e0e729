// SPDX-License-Identifier: Apache-2.0

import Foundation

// Values that the app computes for each reading.
extension PeripheralDriver {
    /// The maximum number of values that are being computed. A central has one request at a time,
    /// but it may connect any number of times.
    static let computationLimit = 64
    /// The maximum number of long values that are kept while centrals read them in parts. Beyond
    /// it, the oldest value is dropped. If a central requests another part of that value, the value
    /// is computed again.
    static let longReadLimit = 64

    /// A value that is being computed.
    struct Computation {
        let request: ServerRead
        let deadline: Duration
        /// The task; `nil` until it has started.
        var task: Task<Void, Never>?
    }

    /// A value that a central reads in parts.
    struct LongRead {
        let central: UUID
        let characteristic: BluetoothID
        let value: Data
    }

    func compute(_ value: ComputedValue, for request: ServerRead) {
        let central = request.central.identifier
        let identifier = request.characteristic
        if request.offset > 0, let read = longReads.first(where: { $0.is(central, identifier) }) {
            return respond(to: request, .success(read.value))
        }
        guard computations.count < Self.computationLimit else {
            return respond(to: request, .failure(.insufficientResources))
        }
        let number = newNumber()
        let deadline = configuration.timekeeper.now + configuration.readTimeout
        computations[number] = Computation(request: request, deadline: deadline)
        setComputationTimer()
        // The task starts through the timekeeper, so that virtual time does not advance before the
        // task has started.
        perform { driver in
            guard driver.computations[number] != nil else { return }
            driver.computations[number]?.task = Task {
                let result = await value.compute(for: central)
                driver.perform { driver in
                    driver.computed(number, result.mapError { driver.refusal(for: $0) })
                }
            }
        }
    }

    private func computed(_ number: Int, _ result: Result<Data, AttributeError>) {
        guard let computation = computations.removeValue(forKey: number) else { return }
        setComputationTimer()
        let request = computation.request
        let central = request.central.identifier
        let identifier = request.characteristic
        longReads.removeAll { $0.is(central, identifier) }
        if case .success(let value) = result,
            value.count >= request.central.maximumLength
        {
            let read = LongRead(central: central, characteristic: identifier, value: value)
            longReads = (longReads + [read]).suffix(Self.longReadLimit)
        }
        respond(to: request, result)
    }

    private func respond(to request: ServerRead, _ result: Result<Data, AttributeError>) {
        let part = result.flatMap { value -> Result<Data, AttributeError> in
            guard request.offset <= value.count else { return .failure(.invalidOffset) }
            return .success(Data(value.dropFirst(request.offset)))
        }
        respond(to: request.number, part)
    }

    /// Answers a request. A refusal with a code that is not an error becomes `unlikelyError`,
    /// because some systems treat the code 0 as a success.
    func respond(to request: ServerRequestNumber, _ result: Result<Data, AttributeError>) {
        let answer = result.mapError {
            AttributeError.codes.contains($0.code) ? $0 : .unlikelyError
        }
        server?.respond(to: request, answer)
    }

    /// Returns the attribute error with which to answer the central after an error of the app's
    /// closure.
    private func refusal(for error: any Error) -> AttributeError {
        error as? AttributeError ?? server?.refusal(for: error) ?? .unlikelyError
    }

    private func setComputationTimer() {
        let deadline = computations.values.map(\.deadline).min()
        if computationTimer == nil, deadline != nil {
            computationTimer = configuration.timekeeper.makeTimer(on: queue) { [weak self] in
                self?.endLateComputations()
            }
        }
        computationTimer?.set(to: deadline)
    }

    private func endLateComputations() {
        let now = configuration.timekeeper.now
        for (number, computation) in computations.sorted(by: { $0.key < $1.key })
        where computation.deadline <= now {
            computation.task?.cancel()
            computed(number, .failure(.unlikelyError))
        }
    }

    /// Cancels all computations, because the peripheral ends.
    func endComputations() {
        for computation in computations.values { computation.task?.cancel() }
        (computations, longReads, computationTimer) = ([:], [], nil)
    }
}

extension PeripheralDriver.LongRead {
    fileprivate func `is`(_ central: UUID, _ characteristic: BluetoothID) -> Bool {
        self.central == central && self.characteristic == characteristic
    }
}
