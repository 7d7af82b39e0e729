// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation
import Lanyard

/// A peripheral of a `PortCentral`, with the references to its attributes.
///
/// Unchecked: used on the central's queue only, except by `deinit`, when no other reference exists.
final class PortPeripheral: @unchecked Sendable {
    let peer: PeerIdentifier
    /// The object for the driver, which owns this one.
    private(set) weak var owner: SystemPeripheral?
    private weak var central: PortCentral?
    private let client: PortClient
    var remote: RemotePeripheral
    private var attributes = PortAttributes()

    private init(_ peer: PeerIdentifier, name: String?, of central: PortCentral) {
        self.peer = peer
        self.central = central
        client = central.client
        remote = RemotePeripheral(name: name)
    }

    deinit {
        guard let request = remote.request, !client.hasLeft else { return }
        Misuse.report(
            "The connection to \(remote.name ?? "\(UUID(peer))") is canceled, because its peripheral "
                + "was released"
        )
        client.adapter?
            .execute { [peer, session = client.session] in
                $0.release(peer, for: session, request)
            }
    }

    /// Creates the object for the driver.
    static func make(
        _ peer: PeerIdentifier,
        name: String?,
        of central: PortCentral
    ) -> SystemPeripheral {
        let source = PortPeripheral(peer, name: name, of: central)
        let owner = SystemPeripheral(UUID(peer), name: name, source: source)
        source.owner = owner
        return owner
    }

    /// Changes the state of the connection or the table with `body`, and then updates the
    /// attributes of the owner.
    func change<Value>(_ body: (inout RemotePeripheral) -> Value) -> Value {
        defer { refresh() }
        return body(&remote)
    }

    /// Updates the attributes of the owner. Attributes that are still valid keep their references.
    func refresh() {
        attributes = PortAttributes(remote.table, former: attributes)
        owner?.attributes = attributes.rows
    }

    /// Adopts the connection and the table that the peripheral had before the app was terminated.
    func restore(_ peer: RestoredCentral.Peer) {
        change { remote in
            remote.connectionWanted(peer.request)
            if peer.isConnected { _ = remote.connected(peer.request) }
            if let table = peer.intent.table { remote.adopt(table) }
        }
    }

    var writeCapacity: WriteCapacity {
        let isConnected = remote.state == .connected
        guard isConnected, let adapter = client.adapter else {
            return WriteCapacity(withResponse: 0, withoutResponse: 0, canSendWithoutResponse: false)
        }
        return WriteCapacity(
            withResponse: adapter.writeLimit(of: peer, withResponse: true),
            withoutResponse: adapter.writeLimit(of: peer, withResponse: false),
            canSendWithoutResponse: remote.hasRoom
        )
    }

    /// Passes an event to the central. If the event answers a request that failed, `failure` is the
    /// reason.
    private func post(_ event: SystemPeripheralEvent, _ failure: LinkFailure? = nil) {
        guard let owner else { return }
        central?.post(.peripheral(owner, event, failure))
    }

    /// Passes an event about an attribute to the central, if the attribute is still valid.
    private func post(
        about handle: AttributeHandle,
        _ failure: LinkFailure?,
        _ event: (SystemAttribute) -> SystemPeripheralEvent
    ) {
        guard let row = attributes.row(at: handle) else { return }
        post(event(row), failure)
    }
}

extension SystemPeripheral {
    /// The `PortPeripheral` of this object; `nil` if the object is not from a `PortCentral`.
    var port: PortPeripheral? { source as? PortPeripheral }
}

// Requests.
extension PortPeripheral {
    func send(_ request: PeripheralRequest) {
        guard remote.state == .connected, let adapter = client.adapter else { return }
        switch request {
        case .readSignal:
            adapter.execute { [peer, session = client.session] in
                $0.readRSSI(of: peer, for: session)
            }
        case .openChannel(let psm):
            adapter.execute { [peer, session = client.session] in
                $0.openChannel(psm, to: peer, for: session)
            }
        default:
            guard let request = clientRequest(request, adapter) else { return }
            adapter.execute { [peer, session = client.session] in
                $0.ask(request, of: peer, for: session)
            }
        }
    }

    private func clientRequest(
        _ request: PeripheralRequest,
        _ adapter: SharedAdapter
    ) -> ClientRequest? {
        switch request {
        case .discoverServices(let services): .find(.services(UUIDFilter(uuids(services))))
        case .discoverIncludedServices(let reference):
            attributes.service(reference)
                .map { .find(.includedServices(UUIDFilter(nil), of: $0)) }
        case .discoverCharacteristics(let wanted, let reference):
            attributes.service(reference)
                .map { .find(.characteristics(UUIDFilter(uuids(wanted)), of: $0)) }
        case .discoverDescriptors(let reference):
            attributes.characteristic(reference).map { .find(.descriptors(of: $0)) }
        case .read(let reference):
            attributes.characteristic(reference).map { ClientRequest.read($0) }
                ?? attributes.descriptor(reference).map { ClientRequest.readDescriptor($0) }
        case .write(let value, to: let reference, withResponse: true):
            attributes.characteristic(reference).map { .write($0, [UInt8](value)) }
        case .write(let value, to: let reference, withResponse: false):
            attributes.characteristic(reference).flatMap { command(value, to: $0, adapter) }
        case .setNotifying(let isOn, let reference):
            attributes.characteristic(reference).map { .setNotifying(isOn, $0) }
        case .readSignal, .openChannel: nil
        }
    }

    private func command(
        _ value: Data,
        to characteristic: GATT.Characteristic,
        _ adapter: SharedAdapter
    ) -> ClientRequest? {
        guard characteristic.properties.contains(.writeWithoutResponse) else { return nil }
        let limit = adapter.writeLimit(of: peer, withResponse: false)
        return remote.command(value, to: characteristic, limit: limit)
    }

    private func uuids(_ identifiers: [BluetoothID]?) -> [BluetoothUUID]? {
        identifiers?.compactMap { $0.written?.value }
    }
}

// Events of the adapter. If an event changes the attributes, the driver receives it after the
// change.
extension PortPeripheral {
    func receive(_ event: RemoteEvent) {
        switch event {
        // `PortCentral` handles it.
        case .nameChanged: break
        case .channelOpened(let result):
            let channel = (try? result.get()).map { SystemChannel($0) }
            post(.channelOpened(channel), result.linkFailure)
        // The driver never requests it.
        case .channelSoundingRefused: break
        case _ where !remote.isLinked: break
        case .rssiRead(let result):
            post(.signal((try? result.get()) ?? SignalStrength.unknown), result.linkFailure)
        case .found(let search, let result):
            _ = change { $0.take(event) }
            found(search, result.linkFailure)
        case .servicesModified(let ranges, let isReportedByPeer):
            let invalidated = remote.table?.visibleServices(in: ranges)
            _ = change { $0.take(event) }
            guard let invalidated, !invalidated.isEmpty || isReportedByPeer else { return }
            let identifiers = invalidated.map { BluetoothID(WrittenUUID($0.origin.uuid)) }
            post(.servicesModified(Set(identifiers)))
        case .readyToWrite: post(.hasRoom)
        case .valueReceived(let handle, let value):
            post(about: handle, nil) { .value(Data(value), of: $0) }
        case .valueRead(let handle, let result):
            let value = Data((try? result.get()) ?? [])
            post(about: handle, result.linkFailure) { .value(value, of: $0) }
        case .valueWritten(let handle, let error):
            post(about: handle, error.map { LinkFailure($0) }) { .written($0) }
        case .notifyingSet(let handle, let result):
            _ = change { $0.take(event) }
            post(about: handle, result.linkFailure) { .subscriptionChanged($0) }
        case .descriptorRead(let handle, let result):
            guard let uuid = attributes.descriptor(at: handle)?.uuid else { return }
            let content = DescriptorContent(of: uuid, (try? result.get()) ?? [])
            post(about: handle, result.linkFailure) { .descriptorRead(content, of: $0) }
        // The driver writes no descriptors.
        case .descriptorWritten: break
        }
    }

    private func found(_ search: ClientSearch, _ failure: LinkFailure?) {
        switch search {
        case .services: post(.servicesDiscovered, failure)
        case .includedServices(_, let service):
            post(about: service.handle, failure) { .includedServicesDiscovered(of: $0) }
        case .characteristics(_, let service):
            post(about: service.handle, failure) { .characteristicsDiscovered(of: $0) }
        case .descriptors(let characteristic):
            post(about: characteristic.valueHandle, failure) {
                .descriptorsDiscovered(of: $0)
            }
        }
    }
}

extension Result where Failure == ClientError {
    fileprivate var linkFailure: LinkFailure? {
        if case .failure(let error) = self { LinkFailure(error) } else { nil }
    }
}

extension DescriptorContent {
    /// Creates the content from the bytes of a descriptor.
    fileprivate init(of uuid: BluetoothUUID, _ bytes: [UInt8]) {
        self =
            switch DescriptorReading(of: uuid, bytes) {
            case .text(let text): .text(text)
            case .number(let number): .number(Int(number))
            case .bytes(let bytes): .bytes(Data(bytes))
            }
    }
}
