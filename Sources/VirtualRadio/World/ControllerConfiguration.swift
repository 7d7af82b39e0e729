// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The identity, position and capabilities of a virtual controller.
public struct ControllerConfiguration: Sendable {
    /// The name of the controller in traces, tables and scenarios.
    public var name: String
    /// The public address; `nil` for an address that follows from the seed and the number of the
    /// radio.
    public var publicAddress: DeviceAddress?
    /// The position of the controller over time.
    public var path: Path
    /// The default transmit power, in dBm.
    public var transmitPower: Double
    /// The faults of the controller.
    public var faults: FaultPlan
    /// The maximum length of the data of an ACL packet from the host in bytes (27 to 251).
    public var dataPacketLength = 251
    /// The number of ACL packets from the host that the controller can hold (1 to 255).
    public var dataPacketCount = 12
    /// The capacity of the Filter Accept List, at most 255.
    public var acceptListLimit = 32
    /// The capacity of the resolving list, at most 255.
    public var resolvingListLimit = 32
    /// The maximum number of advertising sets.
    public var advertisingSetLimit = 8
    /// The maximum number of links at one time, at most 1,919: half of all connection handles.
    public var linkLimit = 20
    /// Whether the controller has the features of Bluetooth 4.2: no extended advertising, no LE 2M
    /// or LE Coded PHY, and no Channel Selection Algorithm #2.
    public var isOld = false
    /// Whether a scan also reports directed advertising for other devices, as a sniffer does.
    package var reportsAllTargets = false

    /// Creates a controller on the path, with the capabilities of a current controller.
    public init(
        name: String = "",
        publicAddress: DeviceAddress? = nil,
        path: Path = Path(.origin),
        transmitPower: Double = 0,
        faults: FaultPlan = .none
    ) {
        self.name = name
        self.publicAddress = publicAddress
        self.path = path
        self.transmitPower = transmitPower
        self.faults = faults
    }

    /// Creates a controller that does not move.
    public init(
        name: String = "",
        publicAddress: DeviceAddress? = nil,
        at position: Position,
        transmitPower: Double = 0,
        faults: FaultPlan = .none
    ) {
        self.init(
            name: name,
            publicAddress: publicAddress,
            path: Path(position),
            transmitPower: transmitPower,
            faults: faults
        )
    }
}
