// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

// Requests on a link.
extension BlueZAdapter {
    package nonisolated func begin(
        _ request: PortRequest,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<PortAnswer>
    ) {
        onThread { adapter in
            let id = adapter.nextNumber()
            if let refusal = adapter.refusal(of: request, on: link) {
                return adapter.thread.perform { completion(refusal) }
            }
            adapter.links[link]?.pending[id] = completion
            // The request starts later, because the completion must not be called before this
            // method has returned.
            adapter.thread.perform { [weak adapter] in
                adapter?.onThread { $0.start(request, id, on: link) }
            }
        }
    }

    /// Returns the result of a request that cannot be started; `nil` if it can be started.
    private func refusal(
        of request: PortRequest,
        on link: LinkIdentifier
    ) -> Result<PortAnswer, any Error>? {
        guard let state = links[link] else {
            if case .disconnect = request { return .success(.done) }
            return .failure(PortError.linkEnded(.unknown))
        }
        return state.pending.count < Self.requestsPerLinkLimit
            ? nil : .failure(PortError.tooManyRequests)
    }

    /// Completes a request, unless the end of its link has already done so.
    func finish(_ id: UInt64, on link: LinkIdentifier, _ result: Result<PortAnswer, any Error>) {
        // The completion is called after the change, because it may use the link.
        guard let completion = links[link]?.pending.removeValue(forKey: id) else { return }
        completion(result)
    }

    private func start(_ request: PortRequest, _ id: UInt64, on link: LinkIdentifier) {
        guard let state = links[link] else { return }
        switch request {
        case .gatt(let operation, let securesOnDemand):
            perform(
                Step(operation: operation, id: id, link: link, securesOnDemand: securesOnDemand)
            )
        case .database: findTable(id, on: link)
        case .readRSSI: finish(id, on: link, .success(.rssi(device(at: state.path)?.rssi)))
        case .updateParameters: finish(id, on: link, .failure(PortError.unsupported([])))
        case .pair:
            pair(state.path) { [weak self] result in
                self?.onThread { adapter in
                    adapter.finish(id, on: link, result.map { .done }.mapError { $0 })
                }
            }
        case .disconnect:
            finish(id, on: link, .success(.done))
            disconnect(link)
        }
    }

    package nonisolated func knownDatabase(of link: LinkIdentifier) -> GATT.Database? {
        onThread { $0.links[link]?.table?.database }
    }

    // MARK: Operations

    /// An operation under way.
    struct Step: Sendable {
        let operation: GATT.Operation
        let id: UInt64
        let link: LinkIdentifier
        /// Whether a refusal for lack of security makes the daemon pair.
        var securesOnDemand = false
    }

    func perform(_ step: Step) {
        guard let state = links[step.link] else { return }
        switch step.operation {
        case .read(let handle), .readLong(let handle): read(handle, step)
        case .write(let handle, let value): write(value, to: handle, offset: 0, step)
        case .writeLong(let handle, let offset, let value):
            write(value, to: handle, offset: offset, step)
        case .writeWithoutResponse(let handle, let value): send(value, to: handle, step)
        case .subscribe(let handle, _, _): subscribe(to: handle, step)
        case .unsubscribe(let handle, _): unsubscribe(from: handle, step)
        case .exchangeMTU: finish(step, .success(.mtu(state.mtu)))
        case .readDeviceName:
            let name = device(at: state.path)?.name
            let missing = GATT.Failure.attribute(.attributeNotFound, handle: .first)
            finish(step, name.map { .success(.value(Array($0.utf8))) } ?? .failure(missing))
        default:
            let reason = "the Bluetooth daemon has no call for this operation"
            finish(step, .failure(GATT.Failure.invalidOperation(reason)))
        }
    }

    func finish(_ step: Step, _ result: Result<GATT.Outcome, any Error>) {
        finish(step.id, on: step.link, result.map { .gatt($0) })
    }

    /// Ends an operation that the daemon refused, or pairs and repeats it once.
    func refused(_ step: Step, _ error: any Error) {
        refused(step, error) { $0.finish(step, .failure(error)) }
    }

    /// Pairs and repeats an operation that the daemon refused. Calls `failed` if the error does not
    /// require pairing, or if the pairing fails.
    func refused(
        _ step: Step,
        _ error: any Error,
        orElse failed: @escaping @Sendable (isolated BlueZAdapter) -> Void
    ) {
        guard DaemonError.requiresPairing(error), step.securesOnDemand,
            let path = links[step.link]?.path
        else { return failed(self) }
        pair(path) { [weak self] result in
            self?.onThread { adapter in
                guard case .success = result else { return failed(adapter) }
                var step = step
                step.securesOnDemand = false
                adapter.perform(step)
            }
        }
    }

    /// Returns the path and the interface of an attribute's object. If the database has no such
    /// attribute, ends the step and returns `nil`.
    func object(at handle: AttributeHandle, _ step: Step) -> (DBusObjectPath, String)? {
        switch links[step.link]?.table?.attributes[handle] {
        case .value(let path): return (path, BlueZ.Interface.gattCharacteristic)
        case .descriptor(let path): return (path, BlueZ.Interface.gattDescriptor)
        case .configuration, nil: break
        }
        // If the link has no database now, the handle belongs to an earlier database of the link.
        let code: ATT.ErrorCode =
            links[step.link]?.table == nil ? .databaseOutOfSync : .invalidHandle
        finish(step, .failure(GATT.Failure.attribute(code, handle: handle)))
        return nil
    }

    private func read(_ handle: AttributeHandle, _ step: Step) {
        guard let (path, interface) = object(at: handle, step) else { return }
        let message = BlueZ.call(path, interface, "ReadValue", [.properties([:])])
        call(message, timeout: Self.operationTimeout) { adapter, result in
            switch result {
            case .success(let reply):
                let value = reply.values.first?.bytes
                adapter.finish(
                    step,
                    value.map { .success(.value($0)) } ?? .failure(PortError.unanswered)
                )
            case .failure(let error):
                adapter.refused(step, DaemonError.attribute(error, at: handle))
            }
        }
    }

    /// The time that the daemon may take for an operation. A transaction may take 30 seconds (Vol
    /// 3, Part F, 3.3.3), and the operations of other programs may come before it.
    static let operationTimeout = Duration.seconds(60)

    private func write(
        _ value: [UInt8],
        to handle: AttributeHandle,
        offset: Int,
        _ step: Step
    ) {
        guard let (path, interface) = object(at: handle, step) else { return }
        guard value.count <= GATT.valueLengthLimit, let offset = UInt16(exactly: offset) else {
            return finish(step, .failure(GATT.Failure.valueTooLong(limit: GATT.valueLengthLimit)))
        }
        var options: [String: DBusValue] = ["offset": .uint16(offset)]
        if interface == BlueZ.Interface.gattCharacteristic { options["type"] = .string("request") }
        let arguments: [DBusValue] = [.bytes(value), .properties(options)]
        let message = BlueZ.call(path, interface, "WriteValue", arguments)
        call(message, timeout: Self.operationTimeout) { adapter, result in
            switch result {
            case .success: adapter.finish(step, .success(.done))
            case .failure(let error):
                adapter.refused(step, DaemonError.attribute(error, at: handle))
            }
        }
    }
}
