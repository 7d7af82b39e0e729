// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import CoreBluetoothEnumerations
import Foundation

/// A remote device, for one central manager.
///
/// Central managers create the objects of this class. The app must keep a reference to each
/// peripheral that it uses: releasing a peripheral cancels its connection or connection request.
open class CBPeripheral: CBPeer {
    /// The delegate. Held weakly.
    open var delegate: (any CBPeripheralDelegate)? {
        get { delegateReference.change { $0.delegate } }
        set { delegateReference.change { $0.delegate = newValue } }
    }

    /// The delegate, behind a lock: a weak reference must not be read and set at the same time.
    private let delegateReference = LockedState(DelegateReference())

    private struct DelegateReference {
        weak var delegate: (any CBPeripheralDelegate)?
    }

    /// The host's identifier of the peer.
    let peer: PeerIdentifier
    private(set) weak var manager: CBCentralManager?
    let adapter: SharedAdapter?
    let session: SessionIdentifier
    let snapshot: LockedState<Snapshot>
    let observers = KeyValueObservers()
    /// The disconnection for which the delegate is being called.
    let disconnection = LockedState<Disconnection?>(nil)

    /// The state that the peripheral shows.
    struct Snapshot {
        var remote: RemotePeripheral
        /// The objects of the discovered attributes, by the handle of the service, of the
        /// characteristic's value, or of the descriptor.
        var objects: [AttributeHandle: CBAttribute] = [:]
        var rssi: NSNumber?
    }

    init(_ peer: PeerIdentifier, of manager: CBCentralManager, name: String?) {
        self.peer = peer
        self.manager = manager
        adapter = manager.adapter
        session = manager.session
        snapshot = LockedState(Snapshot(remote: RemotePeripheral(name: name)))
        super.init(identity: UUID(peer))
    }

    deinit {
        // If the manager was released, its connection requests have already been canceled.
        guard let manager else { return }
        manager.forget(peer)
        guard let request = snapshot.read(\.remote.request) else { return }
        Misuse.report(
            "Cancelling connection for unused peripheral \(description), "
                + "Did you forget to keep a reference to it?"
        )
        adapter?.execute { [peer, session] in $0.release(peer, for: session, request) }
    }

    /// The peripheral's name; `nil` if it is not known. Can be observed.
    open var name: String? { snapshot.read(\.remote.name) }

    /// The state of this manager's connection. Can be observed with
    /// `observe(_:options:changeHandler:)`.
    open var state: CBPeripheralState {
        CBPeripheralState(rawValue: snapshot.read(\.remote.state.rawValue)) ?? .disconnected
    }

    /// The services that were discovered; `nil` before the first discovery and after a
    /// disconnection, unless the system reconnects. Can be observed.
    open var services: [CBService]? { snapshot.read(\.services) }

    /// The signal strength that was read last, in dBm; `nil` before the first reading.
    @available(*, deprecated, message: "use peripheral(_:didReadRSSI:error:)")
    open var rssi: NSNumber? { snapshot.read(\.rssi) }

    /// Whether there is space for another write without response; `false` unless connected. If it
    /// is `false` on a connection, `peripheralIsReady` follows. Values that are written before that
    /// may be dropped.
    open var canSendWriteWithoutResponse: Bool {
        snapshot.read(\.remote.hasRoom)
    }

    /// Whether the peripheral may use the Apple Notification Center Service. Always `false` on
    /// Linux, which does not have this service.
    open var ancsAuthorized: Bool { false }

    // MARK: Discovery

    /// Discovers the services with these UUIDs, or all services if the array is `nil` or empty.
    /// `didDiscoverServices` follows.
    ///
    /// As on Apple's platforms, the system hides the services that it uses itself, even if the app
    /// asks for them: Generic Access, Generic Attribute, Human Interface Device, and the Apple
    /// Notification Center Service.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        guard isReadyForCommands() else { return }
        ask(.find(.services(UUIDFilter(matching: serviceUUIDs))))
    }

    /// Discovers the services with these UUIDs that a service includes, or all of them if the array
    /// is `nil` or empty. The services that `discoverServices` hides are hidden here too.
    /// `didDiscoverIncludedServicesFor` follows.
    open func discoverIncludedServices(
        _ includedServiceUUIDs: [CBUUID]?,
        for service: CBService
    ) {
        guard isReadyForCommands(), let origin = origin(of: service) else { return }
        ask(.find(.includedServices(UUIDFilter(matching: includedServiceUUIDs), of: origin)))
    }

    /// Discovers the characteristics with these UUIDs that a service contains, or all of them if
    /// the array is `nil` or empty. `didDiscoverCharacteristicsFor` follows.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        guard isReadyForCommands(), let origin = origin(of: service) else { return }
        ask(.find(.characteristics(UUIDFilter(matching: characteristicUUIDs), of: origin)))
    }

    /// Discovers all descriptors of a characteristic. `didDiscoverDescriptorsFor` follows.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {
        guard isReadyForCommands(), let origin = origin(of: characteristic) else { return }
        ask(.find(.descriptors(of: origin)))
    }

    // MARK: Values

    /// Reads the whole value, even if that takes several requests to the peripheral.
    /// `didUpdateValueFor` follows.
    open func readValue(for characteristic: CBCharacteristic) {
        guard isReadyForCommands(), let origin = origin(of: characteristic) else { return }
        ask(.read(origin))
    }

    /// Reads the value of a descriptor. `didUpdateValueFor` follows.
    open func readValue(for descriptor: CBDescriptor) {
        guard isReadyForCommands(), let origin = origin(of: descriptor) else { return }
        ask(.readDescriptor(origin))
    }

    /// Returns the maximum length of one write in bytes. 0 unless connected.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        guard state == .connected, let adapter else { return 0 }
        return adapter.writeLimit(of: peer, withResponse: type == .withResponse)
    }

    /// Writes a value. `didWriteValueFor` follows a write with response. A write without response
    /// is not confirmed. A value that is too long for a write without response is truncated, with a
    /// warning in the log.
    open func writeValue(
        _ data: Data,
        for characteristic: CBCharacteristic,
        type: CBCharacteristicWriteType
    ) {
        guard isReadyForCommands(), let origin = origin(of: characteristic) else { return }
        if type == .withoutResponse {
            command(data, to: characteristic, origin)
        } else {
            ask(.write(origin, [UInt8](data)))
        }
    }

    /// Writes a descriptor. `didWriteValueFor` follows.
    ///
    /// - Precondition: The descriptor is not the Client Characteristic Configuration, which
    ///   `setNotifyValue` writes. As with Apple's class, writing this descriptor ends the process.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        guard isReadyForCommands(), let origin = origin(of: descriptor) else { return }
        guard origin.uuid != GATT.AttributeType.clientCharacteristicConfiguration else {
            Misuse.stop(
                "Client Characteristic Configuration descriptors must be configured using "
                    + "setNotifyValue:forCharacteristic:"
            )
        }
        ask(.writeDescriptor(origin, [UInt8](data)))
    }

    /// Enables or disables notifications or indications of a value. `didUpdateNotificationStateFor`
    /// follows.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        guard isReadyForCommands(), let origin = origin(of: characteristic) else { return }
        ask(.setNotifying(enabled, origin))
    }

    // MARK: The link

    /// Reads the signal strength. `didReadRSSI` follows.
    open func readRSSI() {
        guard isReadyForCommands() else { return }
        adapter?.execute { [peer, session] in $0.readRSSI(of: peer, for: session) }
    }

    /// Opens an L2CAP channel to the peripheral. `didOpen` follows.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
        openChannel(PSM)
    }

    /// Ends with an error, because no adapter supports Channel Sounding.
    /// `didCompleteChannelSoundingSession` follows.
    open func startChannelSoundingSession(
        _ configuration: CBChannelSoundingSessionConfiguration
    ) {
        refuseChannelSounding()
    }

    /// Does nothing, because no Channel Sounding session can run.
    open func cancelChannelSoundingSession() {}

    /// The text that Apple's logs show for a peripheral. The MTU is 0 in the state `disconnected`.
    open override var description: String {
        summary([
            "identifier": identifier.uuidString,
            "name": name ?? "(null)",
            "mtu": "\(state == .disconnected ? 0 : mtu)",
            "state": Misuse.text(state),
        ])
    }

    // MARK: Changes by the manager

    /// Stores a connection request. Always returns `true`, so that the adapter carries out the
    /// request.
    func connectionWanted(_ request: ConnectionRequestNumber) -> Bool {
        snapshot.change { $0.remote.connectionWanted(request) }
        return true
    }

    /// Marks the peripheral as disconnecting. Returns `false` if there is no connection or
    /// connection request.
    func disconnectionWanted() -> Bool {
        snapshot.change { $0.remote.disconnectionWanted() }
    }

    /// Marks the peripheral as connected. Returns `false` if the connection request was canceled or
    /// replaced in the meantime.
    func connected(_ request: ConnectionRequestNumber) -> Bool {
        defer { observers.report() }
        return snapshot.change { $0.remote.connected(request) }
    }

    /// Removes a connection request that ended, and invalidates the discovered objects. A later
    /// request is not affected.
    func disconnected(_ request: ConnectionRequestNumber) {
        snapshot.change { $0.remote.disconnected(request) }
        invalidateObjects()
        observers.report()
    }

    /// Marks the link as lost, and disables notifications. The peripheral is then connecting if the
    /// system reconnects, and disconnected otherwise. A cancellation that is in progress continues.
    func lost(isReconnecting: Bool) {
        snapshot.change { snapshot in
            snapshot.remote.lost(isReconnecting: isReconnecting)
            for object in snapshot.objects.values {
                (object as? CBCharacteristic)?.setNotifying(false)
            }
        }
        observers.report()
    }

    /// Removes the connection request and the connection, and invalidates the discovered objects,
    /// because the adapter is off. The caller reports the changes to the observers.
    func powerLost() {
        snapshot.change { $0.remote.powerLost() }
        invalidateObjects()
    }

    func received(_ name: String?) {
        guard let name else { return }
        snapshot.change { $0.remote.name = name }
        observers.report()
    }
}
