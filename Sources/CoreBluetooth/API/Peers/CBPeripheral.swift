// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetoothEnumerations
import Foundation

/// A remote device, as one central manager knows it.
///
/// Managers make them; keep the ones you want: a peripheral that nobody holds is forgotten, and its
/// connection cancelled.
open class CBPeripheral: CBPeer {
    /// Who is told what comes of requests. Not kept alive.
    open var delegate: (any CBPeripheralDelegate)? {
        get { audience.change { $0.delegate } }
        set { audience.change { $0.delegate = newValue } }
    }

    /// The delegate. Behind a lock, since a weak reference may not be read and set at once.
    private let audience = Guarded(Audience())

    private struct Audience {
        weak var delegate: (any CBPeripheralDelegate)?
    }

    /// Who it is, below this module.
    let peer: PeerIdentifier
    private(set) weak var manager: CBCentralManager?
    let adapter: SharedAdapter?
    let session: SessionIdentifier
    let mirror: Guarded<Mirror>
    /// The disconnection that a delegate is being told of.
    let disconnection = Guarded<Disconnection?>(nil)

    /// What is shown of it.
    struct Mirror {
        var name: String?
        var state = CBPeripheralState.disconnected
        /// The call of `connect` whose end is still to be told.
        var wish: WishNumber?
        var tree = ObjectTree()
        /// The writes without response of this connection; nil while there is none.
        var window: WriteWindow?
        var rssi: NSNumber?
    }

    init(_ peer: PeerIdentifier, of manager: CBCentralManager, name: String?) {
        self.peer = peer
        self.manager = manager
        adapter = manager.adapter
        session = manager.session
        mirror = Guarded(Mirror(name: name))
        super.init(identity: UUID(peer))
    }

    deinit {
        // Without its manager all its wishes have been given up already.
        guard let manager else { return }
        manager.forget(peer)
        guard let wish = mirror.current.wish else { return }
        Misuse.report(
            "Cancelling connection for unused peripheral \(logDescription), "
                + "Did you forget to keep a reference to it?"
        )
        adapter?.enter { [peer, session] in $0.release(peer, for: session, wish) }
    }

    /// What it is called; nil if that is not known.
    open var name: String? { mirror.read(\.name) }

    /// Whether it is connected, for this manager.
    open var state: CBPeripheralState { mirror.read(\.state) }

    /// The services that were discovered; nil before the first discovery, and after a disconnection.
    open var services: [CBService]? { mirror.read(\.tree.services) }

    /// The signal strength that was read last.
    @available(*, deprecated, message: "use peripheral(_:didReadRSSI:error:)")
    open var rssi: NSNumber? { mirror.read(\.rssi) }

    /// Whether there is room for another write without response: false unless connected. When it is false
    /// on a connection, `peripheralIsReady` follows; what is written in between may be lost.
    open var canSendWriteWithoutResponse: Bool {
        mirror.read { $0.state == .connected && $0.window?.hasRoom == true }
    }

    /// Whether the peripheral may use the Apple Notification Center Service: never, Linux has none.
    open var ancsAuthorized: Bool { false }

    // MARK: Discovery

    /// Looks for services, or for all of them; `didDiscoverServices` follows.
    open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        findServices(serviceUUIDs)
    }

    /// Looks for services that a service includes; `didDiscoverIncludedServicesFor` follows.
    open func discoverIncludedServices(
        _ includedServiceUUIDs: [CBUUID]?,
        for service: CBService
    ) {
        findIncludedServices(includedServiceUUIDs, of: service)
    }

    /// Looks for characteristics of a service; `didDiscoverCharacteristicsFor` follows.
    open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
        findCharacteristics(characteristicUUIDs, of: service)
    }

    /// Looks for all descriptors of a characteristic; `didDiscoverDescriptorsFor` follows.
    open func discoverDescriptors(for characteristic: CBCharacteristic) {
        findDescriptors(of: characteristic)
    }

    // MARK: Values

    /// Reads a value, all of it; `didUpdateValueFor` follows.
    open func readValue(for characteristic: CBCharacteristic) {
        read(characteristic)
    }

    /// Reads a descriptor; `didUpdateValueFor` follows.
    open func readValue(for descriptor: CBDescriptor) {
        read(descriptor)
    }

    /// The largest value that one write may have, in octets; 0 unless connected.
    open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        writeLimit(of: type)
    }

    /// Writes a value. `didWriteValueFor` follows a write with response; one without is not confirmed.
    open func writeValue(
        _ data: Data,
        for characteristic: CBCharacteristic,
        type: CBCharacteristicWriteType
    ) {
        write(data, to: characteristic, type)
    }

    /// Writes a descriptor, other than the one that `setNotifyValue` is for; `didWriteValueFor` follows.
    open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        write(data, to: descriptor)
    }

    /// Subscribes to a value, or unsubscribes; `didUpdateNotificationStateFor` follows.
    open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        setNotifying(enabled, characteristic)
    }

    // MARK: The link

    /// Reads the signal strength; `didReadRSSI` follows.
    open func readRSSI() {
        measureRSSI()
    }

    /// Opens a channel to the peripheral; `didOpen` follows.
    open func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
        openChannel(PSM)
    }

    /// Measures the distance: not supported on Linux, as `didReceive` says.
    open func startChannelSoundingSession(
        _ configuration: CBChannelSoundingSessionConfiguration
    ) {
        refuseChannelSounding()
    }

    /// Ends measuring.
    open func cancelChannelSoundingSession() {}

    /// As it appears in log lines.
    var logDescription: String {
        "<CBPeripheral: \(Misuse.address(self)), identifier = \(identifier.uuidString), "
            + "name = \(name ?? "(null)"), state = \(Misuse.text(state))>"
    }

    // MARK: What the manager does with it

    /// It is there to be connected to, always.
    func connectionWanted(_ wish: WishNumber) -> Bool {
        mirror.change { mirror in
            mirror.wish = wish
            if mirror.state != .connected { mirror.state = .connecting }
            return true
        }
    }

    /// Whether there is something to cancel.
    func disconnectionWanted() -> Bool {
        mirror.change { mirror in
            guard mirror.state == .connecting || mirror.state == .connected else { return false }
            mirror.state = .disconnecting
            return true
        }
    }

    /// The link is there for a wish; false if that was given up meanwhile.
    func connected(_ wish: WishNumber) -> Bool {
        mirror.change { mirror in
            guard mirror.wish == wish, mirror.state != .disconnecting else { return false }
            // A manager may ask for what it has.
            if mirror.state != .connected || mirror.window == nil { mirror.window = WriteWindow() }
            mirror.state = .connected
            return true
        }
    }

    /// A wish is over. A later one goes on.
    func disconnected(_ wish: WishNumber) {
        mirror.change { mirror in
            if mirror.wish == wish { mirror.wish = nil }
            mirror.state = mirror.wish == nil ? .disconnected : .connecting
            mirror.window = nil
        }
        invalidateTree()
    }

    /// The link is lost, and the wish for it stays, if it turns out that the delegate may have that.
    func lost(isReconnecting: Bool) {
        mirror.change { mirror in
            mirror.window = nil
            guard mirror.state != .disconnecting else { return }
            mirror.state = isReconnecting ? .connecting : .disconnected
        }
        quietTree()
    }

    /// Nothing is wished for any more, since the adapter is gone.
    func powerLost() {
        mirror.change { mirror in
            mirror.wish = nil
            mirror.state = .disconnected
            mirror.window = nil
        }
        invalidateTree()
    }

    func heard(_ name: String?) {
        guard let name else { return }
        mirror.change { $0.name = name }
    }
}
