// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Dispatch
import Foundation
import Lanyard

/// A `SystemServer` that uses the adapter of a virtual device. `PeripheralDriver`, here called the
/// driver, is its user.
///
/// Unchecked: all mutable state is used on the queue only.
final class PortServer: SystemServer, @unchecked Sendable {
    typealias Receiver = @Sendable (SystemServerEvent) -> Void

    /// A request that is not answered yet. The adapter limits the number of such requests.
    struct Pending {
        /// The adapter's identifier of the request; `nil` if no answer is expected.
        let requestID: GATTServer.RequestID?
        /// The attribute of the first write, which an error response names; `nil` for a read.
        let handle: AttributeHandle?
    }

    let client = PortClient()
    let usage: AdapterUsage
    private let restoreIdentifier: String?
    private let queue: DispatchQueue
    private let updates = LockedState(PendingUpdateCount())
    private var receiver: Receiver?
    private var table = PortServerTable()
    var requests: [ServerRequestNumber: Pending] = [:]
    var lastRequest = 0

    init(_ usage: AdapterUsage, restoring restoreIdentifier: String?, on queue: DispatchQueue) {
        self.usage = usage
        self.restoreIdentifier = restoreIdentifier
        self.queue = queue
    }

    deinit { leave() }

    func begin(_ receive: @escaping Receiver) {
        receiver = receive
        let delivery = Delivery<PeripheralManagerEvent>(on: queue) { [weak self] in
            self?.receive($0)
        }
        let session = PeripheralManagerSession(
            identifier: client.session,
            delivery: delivery,
            updates: updates,
            restoreIdentifier: restoreIdentifier
        )
        client.open(usage) {
            $0.open(session)
        } orElse: {
            delivery.post(.stateChanged(.unsupported), from: nil)
        }
    }

    func end() {
        client.give { $0.stopAdvertising(for: $1) }
        client.give { $0.unpublishAll(of: $1) }
        leave()
        receiver = nil
        (table, requests) = (PortServerTable(), [:])
    }

    private func leave() {
        client.leave { [session = client.session] in $0.close(peripheralManager: session) }
    }

    private func post(_ event: SystemServerEvent) { receiver?(event) }

    // MARK: Services and advertising

    func publish(_ services: [PublishedService]) {
        guard client.state == .poweredOn else { return }
        client.adapter?.execute { [session = client.session] in $0.unpublishAll(of: session) }
        table.removeAll()
        let statesReceived = client.statesReceived
        for service in services {
            let value = table.add(service)
            client.adapter?
                .execute { [session = client.session] adapter in
                    adapter.publish(
                        value,
                        refusal: value.refusal,
                        isCurrent: adapter.accepts(commandOf: session, after: statesReceived),
                        for: session
                    )
                }
        }
    }

    func advertise(name: String, services: [BluetoothID]) {
        guard client.state == .poweredOn else { return }
        let advertisement = AdvertisementRequest(
            localName: name,
            services: services.compactMap { $0.written?.text },
            hasBackgroundRules: usage.followsBackgroundRules
        )
        let statesReceived = client.statesReceived
        client.adapter?
            .execute { [session = client.session] adapter in
                adapter.startAdvertising(
                    advertisement,
                    // The server does not stop advertising before its end.
                    stopCount: 0,
                    isCurrent: adapter.accepts(commandOf: session, after: statesReceived),
                    for: session
                )
            }
    }

    // MARK: Values

    func respond(to request: ServerRequestNumber, _ result: Result<Data, AttributeError>) {
        guard let pending = requests.removeValue(forKey: request), client.state == .poweredOn
        else { return }
        let answer = result.map { [UInt8]($0) }
            .mapError { ATT.ErrorCode(rawValue: UInt8(exactly: $0.code) ?? 0x0E) }
        answerPending(pending, answer)
    }

    private func answerPending(_ pending: Pending, _ answer: Result<[UInt8], ATT.ErrorCode>) {
        // A Write Command has no response.
        guard let requestID = pending.requestID else { return }
        client.adapter?
            .execute { [session = client.session] in
                $0.answer(requestID, answer, at: pending.handle, for: session)
            }
    }

    func subscribers(of characteristic: BluetoothID) -> [SystemSubscriber] {
        table.subscribers(of: characteristic)
    }

    func send(
        _ value: Data,
        of characteristic: BluetoothID,
        to centrals: [UUID]?,
        delivered: (@Sendable (Bool) -> Void)?
    ) -> Bool {
        guard client.state == .poweredOn else { return false }
        guard let characteristicID = table.characteristicID(of: characteristic, client.session)
        else {
            delivered?(false)
            return true
        }
        let peers = table.subscribers(of: characteristic).map(\.identifier)
            .filter { centrals?.contains($0) ?? true }
            .map { PeerIdentifier($0) }
        guard !peers.isEmpty else {
            delivered?(false)
            return true
        }
        guard updates.change({ $0.reserve() }) else { return false }
        client.adapter?.execute {
            $0.send([UInt8](value), of: characteristicID, to: peers, then: delivered)
        }
        return true
    }

    /// Returns the refusal for an error of Core Bluetooth, whose type this module does not have.
    func refusal(for error: any Error) -> AttributeError? {
        let error = error as NSError
        return error.domain == "CBATTErrorDomain" ? AttributeError(code: error.code) : nil
    }
}

// Events of the adapter, on the server's queue.
extension PortServer {
    private func receive(_ event: PeripheralManagerEvent) {
        switch event {
        case .stateChanged(let state): stateChanged(to: state)
        case .restored(let restored):
            post(.restored(restored.services.flatMap { table.restore($0) }))
        case .added(let number, let error):
            guard let service = table.identifier(of: number) else { return }
            if error != nil { table.remove(number) }
            post(.published(service, failure: error?.text))
        case .replaced(let numbers): for number in numbers { table.remove(number) }
        case .advertisingStarted(let error, _):
            post(.advertisingStarted(failure: error?.text))
        case .subscribed(let central, let characteristicID):
            guard let characteristic = table.characteristic(with: characteristicID) else { return }
            let subscriber = SystemSubscriber(central)
            table.subscribed(subscriber, to: characteristic)
            post(.subscribed(subscriber, characteristic))
        case .unsubscribed(let central, let characteristicID):
            guard let characteristic = table.characteristic(with: characteristicID) else { return }
            let identifier = UUID(central.peer)
            table.unsubscribed(identifier, from: characteristic)
            post(.unsubscribed(identifier, characteristic))
        case .asked(let request): asked(request)
        case .lengthsChanged:
            table.setLengths(client.adapter?.facts.withLock { $0.valueLengths } ?? [:])
        case .readyToUpdate: post(.hasRoom)
        // The driver does not use the state of the advertising, and publishes no channels.
        case .advertisingChanged, .channelPublished, .channelUnpublished, .channelOpened: break
        }
    }

    private func stateChanged(to state: ManagerState) {
        client.received(state)
        if state.rawValue < ManagerState.poweredOff.rawValue { table.removeAll() }
        post(.availabilityChanged(client.availability))
    }

    private func asked(_ request: ServedRequest) {
        let central = table.updated(SystemSubscriber(request.central))
        switch request.operation {
        case .read(let characteristicID, let offset):
            let pending = Pending(requestID: request.requestID, handle: nil)
            guard let characteristic = table.characteristic(with: characteristicID) else {
                return answerPending(pending, .failure(.unlikelyError))
            }
            let read = ServerRead(
                number: remember(pending),
                central: central,
                characteristic: characteristic,
                offset: offset
            )
            post(.read(read))
        case .write(let writes):
            let pending = Pending(requestID: request.requestID, handle: writes.first?.entry.handle)
            let values = writes.compactMap { write in
                table.characteristic(with: write.characteristicID).map { characteristic in
                    PeripheralValues.Write(
                        characteristic: characteristic,
                        offset: write.entry.offset,
                        bytes: Data(write.entry.value)
                    )
                }
            }
            guard values.count == writes.count else {
                return answerPending(pending, .failure(.unlikelyError))
            }
            post(.written(remember(pending), by: central.identifier, values))
        }
    }

    private func remember(_ pending: Pending) -> ServerRequestNumber {
        lastRequest += 1
        requests[lastRequest] = pending
        return lastRequest
    }
}
