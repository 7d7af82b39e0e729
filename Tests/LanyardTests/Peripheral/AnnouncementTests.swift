// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Testing

@testable import Lanyard

@Suite("Changed values of a peripheral")
struct AnnouncementTests {
    private static let central = SystemSubscriber(identifier: UUID(), maximumLength: 20)
    private static let accessory = PublishedAccessory(
        name: "Box",
        services: [
            PublishedService("FF00", [.notifying("FF01", Data()), .notifying("FF02", Data())])
        ]
    )

    /// Runs a test on the queue of a peripheral that has started.
    private func run(_ body: (PeripheralDriver, ScriptedServer) throws -> Void) rethrows {
        let server = ScriptedServer()
        var configuration = AccessoryPeripheral.Configuration()
        configuration.system = ScriptedSystem(server: server)
        let driver = PeripheralDriver(Self.accessory, configuration)
        try driver.queue.sync {
            driver.start()
            try body(driver, server)
            driver.end()
        }
    }

    @Test("A value that changes before Bluetooth is available is sent to restored subscribers")
    func restored() {
        run { driver, server in
            server.centrals = [Self.central]
            server.post(.restored(["FF01", "FF02"]))
            driver.announce("FF01")
            #expect(server.sent.isEmpty)
            server.setOn(true)
            #expect(server.sent == ["FF01"])
        }
    }

    @Test("A value that changes while Bluetooth is off is not sent to later subscribers")
    func switchedOff() {
        run { driver, server in
            server.setOn(true)
            server.setOn(false)
            driver.announce("FF01")
            server.setOn(true)
            server.centrals = [Self.central]
            server.post(.subscribed(Self.central, "FF01"))
            server.post(.subscribed(Self.central, "FF02"))
            driver.announce("FF02")
            #expect(server.sent == ["FF02"])
        }
    }
}

/// A system with one server and no central.
private struct ScriptedSystem: AccessorySystem {
    let server: ScriptedServer

    func makeCentral(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemCentral {
        UnavailableSystem().makeCentral(restoring: restoreIdentifier, on: queue)
    }

    func makeServer(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemServer { server }
}

/// A server whose events come from a test.
///
/// Unchecked: used on one queue only.
private final class ScriptedServer: SystemServer, @unchecked Sendable {
    /// The centrals that subscribe to all characteristics.
    var centrals: [SystemSubscriber] = []
    /// The characteristics of the sent values.
    private(set) var sent: [BluetoothID] = []
    private var isOn = false
    private var receiver: (@Sendable (SystemServerEvent) -> Void)?

    func post(_ event: SystemServerEvent) { receiver?(event) }

    func setOn(_ isOn: Bool) {
        self.isOn = isOn
        post(.availabilityChanged(isOn ? .poweredOn : .poweredOff))
    }

    func begin(_ receive: @escaping @Sendable (SystemServerEvent) -> Void) { receiver = receive }
    func end() { receiver = nil }
    func publish(_ services: [PublishedService]) {}
    func advertise(name: String, services: [BluetoothID]) {}
    func respond(to request: ServerRequestNumber, _ result: Result<Data, AttributeError>) {}
    func subscribers(of characteristic: BluetoothID) -> [SystemSubscriber] { centrals }

    func send(
        _ value: Data,
        of characteristic: BluetoothID,
        to centrals: [UUID]?,
        delivered: (@Sendable (Bool) -> Void)?
    ) -> Bool {
        guard isOn else { return false }
        sent.append(characteristic)
        delivered?(true)
        return true
    }

    func refusal(for error: any Error) -> AttributeError? { nil }
}
