// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

/// A request that may wait until the link is encrypted, or better protected.
enum DeferredRequest: Sendable {
    case request(LinkRequest)
    case channels(ChannelRequest)
}

// The application's requests to the link.
extension LinkCore {
    /// Takes a request. The answer is a `completed` action.
    mutating func request(
        _ request: LinkRequest,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        if request.usesGATT {
            // Signed commands are meant for unencrypted links.
            let mayWait = if case .writeSigned = request { false } else { true }
            guard !mayWait || !hold(.request(request), id, &context) else { return }
            exchangeMTU(&context)
        }
        switch request {
        case .writeSigned(let attribute, let value):
            writeSigned(value, to: attribute, id: id, &context)
        case .updateParameters(let update) where role == .peripheral:
            askForParameters(update, id: id, &context)
        case .gatt(let operation, _) where isOutOfSync(operation):
            context.failOutOfSync(operation, id)
        case .gatt(.write(let attribute, let value), let isRepeated) where isTooLong(value):
            let operation = GATT.Operation.writeLong(attribute, offset: 0, value)
            start(operation, isRepeatedWhenSecured: isRepeated, id: id, &context)
        case .gatt(let operation, let isRepeated):
            start(operation, isRepeatedWhenSecured: isRepeated, id: id, &context)
        case .database: findDatabase(for: id, &context)
        case .disconnect: disconnect(request: id, &context)
        case .pair(let policy): secure(for: policy, id: id.rawValue, &context)
        case .enhancedBearers(let count): openEnhancedBearers(count, id: id, &context)
        default: sendCommand(for: request, id: id, &context)
        }
    }

    /// Takes a request that has waited.
    mutating func request(
        _ deferred: DeferredRequest,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        switch deferred {
        case .request(let request): self.request(request, id: id, &context)
        case .channels(let request): self.request(request, id: id, &context)
        }
    }

    /// Returns whether a value does not fit into one Write Request (Vol 3, Part F, 3.4.5.1).
    private func isTooLong(_ value: [UInt8]) -> Bool { value.count > bearer.att.mtu - 3 }

    /// Ends a request that the application has canceled. The driver ignores a later answer, such as
    /// that of a command that the controller already has.
    mutating func cancelRequest(_ id: RequestIdentifier, _ context: inout LinkContext) {
        disconnectRequests.removeAll { $0 == id }
        // The procedure itself continues in the controller, so another one must wait.
        for procedure in procedures.keys where procedures[procedure]?.request == id {
            procedures[procedure]?.request = nil
        }
        if let operation = forgetRefused(id) { stopSecuring(operation, &context) }
        protection.held.remove(id)
        cancelEnhancedOpening(id)
        stopSecuring(id.rawValue, &context)
        stopWaitingForDatabase(id, &context)
        cancelOperation(id.rawValue, &context)
        pump(&context)
    }

    /// Unsubscribes from the values of a characteristic that the application no longer reads. The
    /// result is ignored.
    mutating func unsubscribe(
        _ value: AttributeHandle,
        configuration: AttributeHandle,
        _ context: inout LinkContext
    ) {
        guard !isDisconnecting, !needsSubscription(to: value), !awaitsEncryption else { return }
        let operation = GATT.Operation.unsubscribe(valueHandle: value, descriptor: configuration)
        start(operation, id: context.takeOperation(), &context)
    }
}
