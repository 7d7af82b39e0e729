// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// The GATT client of the link: operations and their results.
extension LinkCore {
    /// Starts an operation, on the bearer with the fewest operations if the operation may overtake
    /// others.
    mutating func start(_ operation: GATT.Operation, id: UInt64, _ context: inout LinkContext) {
        if !enhanced.isEmpty, operation.mayUseAnyBearer,
            let place = enhanced.leastBusy(below: bearer.client.operationCount)
        {
            let channel = enhanced[place].channel
            enhanced[place].load += 1
            perform(enhanced[place].start(operation, id: id), on: channel, &context)
        } else {
            perform(bearer.start(operation, id: id), &context)
        }
        pump(&context)
    }

    /// Ends an operation whose request was canceled.
    mutating func cancelOperation(_ id: UInt64, _ context: inout LinkContext) {
        perform(bearer.cancel(id), &context)
        for channel in enhanced.bearers.map(\.channel) {
            guard let place = enhanced.index(of: channel) else { continue }
            perform(enhanced[place].cancel(id), on: channel, &context)
        }
    }

    /// Performs the actions of the client of the unenhanced bearer.
    mutating func perform(_ actions: [GATTClient.Action], _ context: inout LinkContext) {
        for action in actions { perform(action, &context) }
    }

    /// Performs the actions of the client of an enhanced bearer.
    mutating func perform(
        _ actions: [GATTClient.Action],
        on channel: ChannelIdentifier,
        _ context: inout LinkContext
    ) {
        for action in actions {
            if case .completed = action, let place = enhanced.index(of: channel) {
                enhanced[place].load -= 1
            }
            perform(action, &context)
        }
    }

    private mutating func perform(_ action: GATTClient.Action, _ context: inout LinkContext) {
        switch action {
        case .notified(let attribute, let value, let kind):
            if kind == .indication { noteUnknownIndication(value, &context) }
            valueReceived(attribute, value, &context)
        case .completed(let id, let result):
            operationCompleted(id, result, &context)
        case .violated(let violation):
            let text = "the peer violated the protocol: \(violation)"
            context.emit(.log("link \(identifier.rawValue): \(text)"))
        case .servicesChanged(let handles): servicesChanged(handles, &context)
        }
    }

    private mutating func operationCompleted(
        _ id: UInt64,
        _ result: Result<GATT.Outcome, GATT.Failure>,
        _ context: inout LinkContext
    ) {
        guard id < LinkContext.ownOperationBase else {
            return ownOperationCompleted(id, result, &context)
        }
        if case .failure(.attribute(.databaseOutOfSync, _)) = result {
            databaseChanged(&context)
        }
        guard !repeatsWhenSecured(id, result.refusal, &context) else { return }
        context.emit(
            .completed(RequestIdentifier(rawValue: id), result.map(HostAnswer.gatt).mapError { $0 })
        )
    }

    /// Handles the result of an operation of the host. Any answer to the MTU exchange, even a
    /// refusal, shows that the peer takes part in the link and the link is usable.
    private mutating func ownOperationCompleted(
        _ id: UInt64,
        _ result: Result<GATT.Outcome, GATT.Failure>,
        _ context: inout LinkContext
    ) {
        if lookupOperation == id { return lookupCompleted(result, &context) }
        if protection.nameOperation == id { return nameReceived(result, &context) }
        guard probe == id else { return }
        probe = nil
        switch result {
        case .failure(.timedOut), .failure(.bearerClosed): break  // The end of the link follows.
        default: completeConnectionRequest(&context)
        }
    }

    /// Closes the bearers on which the peer has not ended a transaction in time (Vol 3, Part F,
    /// 3.3.3). If that is the unenhanced bearer, the link ends.
    mutating func expireBearers(_ context: inout LinkContext) {
        if let ended = bearer.expire(now: context.now) {
            for id in ended.values { valueFailed(id, .timedOut, &context) }
            perform(ended.operations, &context)
            let text = "is unusable: the peer did not end a transaction in time"
            context.emit(.log("link \(identifier.rawValue) \(text)"))
            disconnect(request: nil, &context)
        }
        for channel in enhanced.bearers.map(\.channel) { expire(channel, &context) }
    }
}
