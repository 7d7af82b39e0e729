// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// Who a virtual controller is, where it is and what it can do.
public struct ControllerConfiguration: Sendable {
    /// What people call it: in traces, tables and scenarios.
    public var name: String
    /// Its public address; nil for one that follows from the seed and the number of the radio.
    public var publicAddress: DeviceAddress?
    /// Where it is, and when.
    public var path: Path
    /// The power with which it sends if nobody says otherwise, in dBm.
    public var transmitPower: Double
    /// What goes wrong with it.
    public var faults: FaultPlan
    /// How many octets of data an ACL packet from the host may have (27 to 251).
    public var dataPacketLength = 251
    /// How many ACL packets of the host it holds.
    public var dataPacketCount = 12
    /// How many devices the Filter Accept List holds.
    public var acceptListLimit = 32
    /// How many devices the resolving list holds.
    public var resolvingListLimit = 32
    /// How many advertising sets there may be.
    public var advertisingSetLimit = 8
    /// How many connections it can have at a time.
    public var linkLimit = 20
    /// Whether it is a controller as of Bluetooth 4.x: no extended advertising, no 2M, no coded PHY.
    public var isOld = false

    /// A controller at the place, with everything that a good one of today has.
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

    /// The same, for a controller that does not move.
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
