// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

/// A device that only advertises, always with the same data.
///
/// ```swift
/// let beacon = Beacon(.eddystoneURL("https://example.com", power: -20))
/// world.attach(beacon, to: controller)
/// ```
public struct Beacon: ScriptedHost {
    /// The advertised message.
    public let message: BeaconMessage
    private let isExtended: Bool
    private let interval: Duration
    private let address: AccessoryAddress

    private var session = ControllerSession()

    /// Creates a beacon for one controller.
    ///
    /// - Parameters:
    ///   - message: The advertised message.
    ///   - isExtended: Whether the beacon uses extended advertising, if its controller supports it.
    ///   - interval: The advertising interval: at least 20 ms. Legacy controllers support at most
    ///     10.24 s.
    ///   - address: The address from which the beacon advertises.
    public init(
        _ message: BeaconMessage,
        isExtended: Bool = false,
        interval: Duration = .milliseconds(100),
        address: AccessoryAddress = .randomStatic
    ) {
        self.message = message
        self.isExtended = isExtended
        self.interval = interval
        self.address = address
    }

    /// Starts the controller.
    public mutating func start(now: Instant) -> [[UInt8]] {
        session.start(now: now)
        return session.takePackets()
    }

    /// Handles a packet from the controller.
    public mutating func receive(_ packet: [UInt8], now: Instant) -> [[UInt8]] {
        guard case .event(let code, let parameters) = try? HCI.Packet(h4: packet[...]),
            let event = try? HCI.Event(code: code, parameters: parameters)
        else { return [] }
        if case .hardwareError = event { return start(now: now) }
        if case .ready(let capabilities) = session.receive(event, now: now) {
            advertise(on: capabilities, now: now)
        }
        return session.takePackets()
    }

    /// The instant at which the outstanding command times out; `nil` if there is none.
    public var nextDeadline: Instant? { session.nextDeadline }

    /// Handles the timeout of a command that the controller has not answered.
    public mutating func deadlinePassed(now: Instant) -> [[UInt8]] {
        _ = session.deadlinePassed(now: now)
        return session.takePackets()
    }

    private mutating func advertise(on capabilities: ControllerCapabilities, now: Instant) {
        let plan = AccessoryAdvertisingPlan(
            pduType: isExtended ? .extended : .legacy,
            isConnectable: false,
            data: message.advertisingData,
            interval: interval,
            randomAddress: address.randomAddress(publicAddress: capabilities.publicAddress)
        )
        for command in plan.commands(for: capabilities) { session.send(command, now: now) }
    }
}
