// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

/// A device that says the same thing all the time, and can do nothing else.
///
/// ```swift
/// let beacon = Beacon(.eddystoneURL("https://example.com", power: -20))
/// world.attach(beacon, to: controller)
/// ```
public struct Beacon: ScriptedHost {
    /// What it says.
    public let message: BeaconMessage
    private let isExtended: Bool
    private let interval: Duration
    private let address: AccessoryAddress

    private var session = ControllerSession()

    /// A beacon for one controller.
    ///
    /// - Parameters:
    ///   - isExtended: Whether it uses extended advertising, where its controller can.
    ///   - interval: How often it speaks: 20 ms at least. Legacy controllers take 10.24 s at most.
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

    /// Starts its controller up.
    public mutating func start(now: Instant) -> [[UInt8]] {
        session.start(now: now)
        return session.takePackets()
    }

    /// Takes a packet of its controller.
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

    /// When its controller will have taken too long to answer.
    public var nextDeadline: Instant? { session.nextDeadline }

    /// Gives up what took too long.
    public mutating func deadlinePassed(now: Instant) -> [[UInt8]] {
        _ = session.deadlinePassed(now: now)
        return session.takePackets()
    }

    private mutating func advertise(on capabilities: ControllerCapabilities, now: Instant) {
        let plan = AdvertisingPlan(
            form: isExtended ? .extended : .legacy,
            kind: .nonConnectable,
            data: message.advertisingData,
            interval: interval,
            randomAddress: address.randomAddress(publicAddress: capabilities.publicAddress)
        )
        for command in plan.commands(for: capabilities) { session.send(command, now: now) }
    }
}
