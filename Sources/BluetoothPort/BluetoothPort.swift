// SPDX-License-Identifier: Apache-2.0

// The port is the interface between the clients (`BluetoothClients`) and an adapter. `HostAdapter`
// implements it with a host, `BlueZAdapter` with the system's Bluetooth daemon, and
// `CompositeAdapter` with several hosts as one adapter.
//
// No HCI type appears in the port. It has the types of the attribute protocol, of advertising and
// of channels that every implementation needs (re-exported below), and values of its own for
// everything else. An implementation declares what it can do (`PortCapabilities`). A request for
// anything else ends with `PortError.unsupported`. The default implementation of an optional method
// also ends with it, or has no effect.
//
// All calls except `shutDown()` are synchronous. A request that takes time has a completion, which
// the port calls on its executor. The clients run on the same executor and need no task for a
// request.

@_exported import BluetoothTypes

// The types of lower modules that the port uses, re-exported so that a user of the port imports
// only the port. Apart from the executor, none of them belongs to HCI, pairing or the host.
@_exported import enum BluetoothATT.ATT
@_exported import struct BluetoothATT.AttributeHandle
@_exported import struct BluetoothGAP.Advertisement
@_exported import struct BluetoothGAP.Advertising
@_exported import struct BluetoothGAP.AdvertisingData
@_exported import enum BluetoothGATT.GATT
@_exported import struct BluetoothGATT.GATTServer
@_exported import enum BluetoothL2CAP.L2CAP
@_exported import protocol HCITransports.HostExecutor
@_exported import protocol HCITransports.HostTimer

/// A closure that gets the result of a request.
package typealias PortCompletion<Value> = @Sendable (Result<Value, any Error>) -> Void

/// An adapter, as its users see it: with the operations of a central and, depending on
/// `capabilities`, those of a peripheral.
///
/// Call all methods on `executor`, except those that are documented otherwise. The port calls each
/// completion exactly once, on its executor, and never before the call that took it has returned.
/// Completions and observers may call all methods. The errors of completions are `PortError`,
/// `GATT.Failure` and `L2CAP.Failure`.
package protocol BluetoothPort: AnyObject, Sendable {
    /// The executor of all calls, completions and events.
    var executor: any HostExecutor { get }
    /// The capabilities of the adapter. They change only before `PortEvent.stateChanged`.
    var capabilities: PortCapabilities { get }
    /// The maximum number of scans at a time.
    var scanLimit: Int { get }

    /// Sets the observer. It gets the adapter's state and the open links at once, and all events
    /// from then on. The port does not keep it alive.
    func attach(_ observer: any PortObserver)
    /// Opens the adapter. `PortEvent.stateChanged` reports the result.
    func open()
    /// Ends all links and closes the adapter permanently. May be called on any thread.
    func shutDown() async
    /// Sets the Device Name that connected peers read.
    func setDeviceName(_ name: String)

    // MARK: Peers

    /// Returns the identifier of the device with an address. For a bonded device, it is the
    /// identifier in the bond.
    func identifier(of address: DeviceAddress) -> PeerIdentifier
    /// Returns whether the port itself made this identifier. The device need not be bonded. May be
    /// called on any thread.
    func recognizes(_ peer: PeerIdentifier) -> Bool
    /// The bonded peers.
    var bondedPeers: [PortBond] { get }
    /// Removes a bond, and ends the links to the peer.
    func removeBond(with peer: PeerIdentifier)

    // MARK: Scanning and connecting

    /// Scans until `endScan(_:)`. `PortEvent.advertised` reports discoveries. `failed` is called
    /// if the scan ends by itself, but not when the port is shut down.
    func startScan(
        _ scan: PortScan,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> RequestIdentifier
    /// Ends a scan.
    func endScan(_ scan: RequestIdentifier)
    /// Requests a connection, without a time limit. `PortEvent.linkOpened` reports the link, and
    /// `failed` is called if the request fails, but not when the port is shut down.
    func connect(
        to peer: PeerIdentifier,
        failed: @escaping @Sendable (PortError) -> Void
    ) -> RequestIdentifier
    /// Cancels a connection request, and ends a link that has not been reported yet. After
    /// `PortEvent.linkOpened`, end the link with `PortRequest.disconnect`.
    func cancelConnectionRequest(_ request: RequestIdentifier)

    // MARK: Links

    /// Starts a request to a link. Requests to the peer's server are sent in the order of the
    /// calls.
    func begin(
        _ request: PortRequest,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<PortAnswer>
    )
    /// Returns the database of a link's peer if it is known to be current.
    func knownDatabase(of link: LinkIdentifier) -> GATT.Database?

    // MARK: Serving

    /// Adds a service to the database that peers discover.
    func publish(_ definition: GATT.ServiceDefinition) throws -> GATT.DiscoveredService
    /// Removes a service from the database.
    func unpublish(_ service: GATT.DiscoveredService) throws
    /// Answers a request of `PortEvent.asked`.
    ///
    /// - Parameter handle: The attribute that the answer concerns; `nil` for the first one of the
    ///   request.
    func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle?
    )
    /// Sends a value to a subscriber. The completion is called when the notification was sent, when
    /// the indication was confirmed, or when the value cannot be sent or confirmed anymore.
    func notify(
        _ value: GATT.AttributeValue,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<Void>
    )

    // MARK: Advertising

    /// Advertises until `endAdvertising(_:)`. The completion is called when the set is in force.
    func advertise(
        _ advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) -> RequestIdentifier
    /// Replaces the data and the timing of a set.
    func update(
        _ set: RequestIdentifier,
        to advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    )
    /// Ends a set.
    func endAdvertising(_ set: RequestIdentifier)

    // MARK: Channels

    /// Opens a channel to the peer of a link.
    func openChannel(
        _ psm: L2CAP.SPSM,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<any PortChannel>
    )
    /// Listens for channels on a number that the port chooses, until `stopListening(_:)`.
    ///
    /// - Returns: The number.
    func listen(
        requiresEncryption: Bool,
        accepted: @escaping @Sendable (any PortChannel) -> Void
    ) throws -> L2CAP.SPSM
    /// Ends a listener. Its channels stay open.
    func stopListening(_ psm: L2CAP.SPSM)

    // MARK: Records

    /// Returns the stored record of this name.
    func record(_ name: String) -> [UInt8]?
    /// Stores a record, or with `nil` deletes it. Returns `false` if the record cannot be stored.
    func storeRecord(_ bytes: [UInt8]?, _ name: String) -> Bool
}

// Defaults for an implementation without the capability.
extension BluetoothPort {
    package func setDeviceName(_ name: String) {}

    package func recognizes(_ peer: PeerIdentifier) -> Bool { false }
    package var bondedPeers: [PortBond] { [] }
    package func removeBond(with peer: PeerIdentifier) {}

    package func publish(_ definition: GATT.ServiceDefinition) throws -> GATT.DiscoveredService {
        throw PortError.unsupported(.server)
    }

    package func unpublish(_ service: GATT.DiscoveredService) throws {
        throw PortError.unsupported(.server)
    }

    package func answer(
        _ request: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle?
    ) {}

    package func notify(
        _ value: GATT.AttributeValue,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<Void>
    ) {
        refuse(.server, completion)
    }

    package func advertise(
        _ advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) -> RequestIdentifier {
        refuse(.advertising, completion)
        return RequestIdentifier(rawValue: 0)
    }

    package func update(
        _ set: RequestIdentifier,
        to advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) {
        refuse(.advertising, completion)
    }

    package func endAdvertising(_ set: RequestIdentifier) {}

    package func openChannel(
        _ psm: L2CAP.SPSM,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<any PortChannel>
    ) {
        refuse(.channels, completion)
    }

    package func listen(
        requiresEncryption: Bool,
        accepted: @escaping @Sendable (any PortChannel) -> Void
    ) throws -> L2CAP.SPSM {
        throw PortError.unsupported(.channels)
    }

    package func stopListening(_ psm: L2CAP.SPSM) {}

    package func record(_ name: String) -> [UInt8]? { nil }
    package func storeRecord(_ bytes: [UInt8]?, _ name: String) -> Bool { false }

    private func refuse<Value>(
        _ capability: PortCapabilities,
        _ completion: @escaping PortCompletion<Value>
    ) {
        executor.perform { completion(.failure(PortError.unsupported(capability))) }
    }
}
