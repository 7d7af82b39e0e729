// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Logging
import VirtualAdapters
import VirtualRadio

/// Two hosts on a virtual air: one serves an accessory, the other visits it as its Central, and
/// checks everything that it finds. In virtual time, so it takes no longer than the work in it.
struct Demonstration: Sendable {
    let report: DemoReport

    /// The number from which all chance follows, on the air and in the keys of the two hosts, which
    /// protect nothing therefore: every run is the same.
    private static let seed: UInt64 = 7
    /// How much virtual time all of it may take.
    private static let bound = Duration.seconds(60)

    /// Runs all of it, and says how it went.
    static func run(on console: Console) async throws {
        let report = DemoReport(console: console)
        try report.say(
            """
            An accessory and its Central, two metres apart on a virtual radio. What the accessory \
            sees stands behind a bar.
            """
        )
        let start = ContinuousClock.now
        let virtual: Duration
        do {
            virtual = try await Demonstration(report: report).run()
        } catch {
            throw ProgramFailure(error, during: "the demonstration")
        }
        try report.say(
            """

            All of it worked: \(report.checks) things checked, \
            \(SecondsText.describe(virtual.inMilliseconds)) of virtual time in \
            \(SecondsText.describe((ContinuousClock.now - start).inMilliseconds)).
            """
        )
    }

    /// Runs all of it; throws as soon as something is not as it should be. Returns how much virtual
    /// time has passed.
    func run() async throws -> Duration {
        let accessory = try ServedAccessory(parsing: DemoDatabase.text)
        let air = SimulatedAir(seed: Self.seed)
        let strap = try air.addAdapter(ControllerConfiguration(name: "accessory"))
        let place = Path(Position(x: 2, y: 0))
        let identity = HostIdentity(of: accessory, at: Self.address(1))
        let phone = try air.addAdapter(ControllerConfiguration(name: "central", path: place))
        let people = DemoPeople(report)
        try await air.run(bound: Self.bound) {
            let peripheral = Self.host(on: strap, air) { configuration in
                identity.apply(to: &configuration)
                configuration.randomness = SplitMix64(seed: Self.seed + 1)
                configuration.pairingDelegate = people.person(at: "accessory")
            }
            let central = Self.host(on: phone, air) { configuration in
                configuration.address = Self.address(2)
                configuration.randomness = SplitMix64(seed: Self.seed + 2)
                configuration.pairingDelegate = people.person(at: "central")
                // What is refused is to be seen.
                configuration.securesOnDemand = false
                // As phones have it: a long value takes several requests.
                configuration.attMTU = 185
            }
            try await peripheral.start()
            try await central.start()
            try await withThrowingTaskGroup { group in
                group.addTask { try await self.serve(accessory, on: peripheral, air) }
                group.addTask {
                    try await DemoVisit(report, people, air: air, host: central, accessory).run()
                }
                try await group.next()
                group.cancelAll()
                // What is cancelled fails: that it had done its part is checked by the other.
                while await group.nextResult() != nil {}
            }
            await central.shutdown()
            await peripheral.shutdown()
        }
        return air.now - .zero
    }

    private func serve(
        _ accessory: ServedAccessory,
        on host: BluetoothHost,
        _ air: SimulatedAir
    ) async throws {
        var surroundings = ServeSession.Surroundings(tell: report.tell)
        surroundings.sleep = { try await air.sleep(for: $0) }
        try await ServeSession(accessory, surroundings).run(on: host)
    }

    private static func address(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(value: 0xC4F0_0000_0000 + number, kind: .random)
    }

    private static func host(
        on transport: VirtualTransport,
        _ air: SimulatedAir,
        _ adjust: (inout HostConfiguration) -> Void
    ) -> BluetoothHost {
        var configuration = HostConfiguration()
        configuration.logger = Logger(label: "lanyard") { _ in SwiftLogNoOpLogHandler() }
        configuration.pairing.ioCapability = .displayYesNo
        configuration.pairing.requiresAuthentication = true
        adjust(&configuration)
        return BluetoothHost(
            transport: transport,
            configuration: configuration,
            executor: air.executor
        )
    }
}

extension Duration {
    /// The same without what is less than a millisecond.
    fileprivate var inMilliseconds: Duration { .milliseconds(Int64(inSeconds * 1_000)) }
}
