// SPDX-License-Identifier: Apache-2.0

import Foundation

// Values that the app sends to subscribers, one by one, without storing them.
extension PeripheralDriver {
    typealias Delivery = @Sendable (Result<Void, PeripheralError>) -> Void

    /// A value that waits for room.
    struct Sending {
        let number: Int
        let value: Data
        let characteristic: BluetoothID
        /// The only central that receives it; `nil` for all subscribers.
        let central: UUID?
    }

    /// Sends a value. Returns when it was delivered, see `AccessoryPeripheral.send`.
    func send(
        _ value: Data,
        of characteristic: BluetoothID,
        to central: UUID?
    ) async throws(PeripheralError) {
        let number = newNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Void, PeripheralError>, Never>) in
                let isCancelled = Task.isCancelled
                let sending = Sending(
                    number: number,
                    value: value,
                    characteristic: characteristic,
                    central: central
                )
                perform { driver in
                    guard !isCancelled else {
                        return continuation.resume(returning: .failure(.cancelled))
                    }
                    driver.begin(sending) { continuation.resume(returning: $0) }
                }
                // If the task was canceled before `perform`, the cancellation handler found no
                // value.
                if !isCancelled, Task.isCancelled { perform { $0.cancelSending(number) } }
            }
        } onCancel: {
            perform { $0.cancelSending(number) }
        }
        try result.get()
    }

    private func begin(_ sending: Sending, _ delivery: @escaping Delivery) {
        guard server != nil else { return delivery(.failure(.closed)) }
        guard characteristic(sending.characteristic)?.sendsValues == true else {
            return delivery(.failure(.unknownCharacteristic(sending.characteristic)))
        }
        guard deliveries.count < AccessoryPeripheral.sendLimit else {
            return delivery(.failure(.tooManyUpdates(limit: AccessoryPeripheral.sendLimit)))
        }
        deliveries[sending.number] = delivery
        sendings.append(sending)
        sendWaiting()
    }

    private func cancelSending(_ number: Int) {
        sendings.removeAll { $0.number == number }
        finishSending(number, .failure(.cancelled))
    }

    private func finishSending(_ number: Int, _ result: Result<Void, PeripheralError>) {
        deliveries.removeValue(forKey: number)?(result)
    }

    /// Sends as many of the waiting values as there is room for.
    func sendWaiting() {
        while let sending = sendings.first {
            do throws(PeripheralError) {
                guard try isAccepted(sending) else { return }
            } catch {
                finishSending(sending.number, .failure(error))
            }
            sendings.removeFirst()
        }
    }

    /// Passes a value to the system. Returns `false` if there is no room.
    private func isAccepted(_ sending: Sending) throws(PeripheralError) -> Bool {
        let subscribers = (server?.subscribers(of: sending.characteristic) ?? []).filter {
            sending.central == nil || $0.identifier == sending.central
        }
        guard isPublished, !subscribers.isEmpty, let server else {
            throw .notSubscribed(sending.characteristic)
        }
        let lengths = subscribers.map(\.maximumLength)
        let maximum = min(lengths.min() ?? 0, PeripheralValues.lengthLimit)
        guard sending.value.count <= maximum else {
            throw .tooLong(length: sending.value.count, maximum: maximum)
        }
        let number = sending.number
        return server.send(
            sending.value,
            of: sending.characteristic,
            to: subscribers.map(\.identifier)
        ) { [weak self] isDelivered in
            self?.perform {
                $0.finishSending(number, isDelivered ? .success(()) : .failure(.notDelivered))
            }
        }
    }

    /// Fails all values that were not delivered.
    func failSendings(_ error: PeripheralError) {
        sendings = []
        for number in deliveries.keys.sorted() { finishSending(number, .failure(error)) }
    }
}
