// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Lanyard
import LanyardTesting
import Synchronization
import VirtualRadio

/// The recorder of a run. It gets the links from the radio, and the values from the app.
final class BuildingRecorder: Sendable {
    fileprivate struct State {
        var record: BuildingRecord
        var start: Instant?
        var gateways: [SimulatedGateway] = []
        var devices: [BuildingDevice] = []
        /// The open links, by device and gateway, with their beginnings.
        var open: [Int: [Int: Double]] = [:]
        var following: [Task<Void, Never>] = []
        var observations: [ObservationToken] = []

        func seconds(_ now: Instant) -> Double {
            start.map { (now - $0) / .seconds(1) } ?? 0
        }
    }

    /// The number of signals of each device that a record of an hour contains. A longer record
    /// contains at least as many, and fewer than twice as many.
    private static let sampleLimit = 3_600

    private let world: TestWorld
    private let state: Mutex<State>

    init(seed: UInt64, in world: TestWorld) {
        self.world = world
        state = Mutex(State(record: BuildingRecord(seed: seed, devices: [])))
    }

    var record: BuildingRecord { state.withLock { $0.record } }

    /// Adds a line about a gateway, if the walks have begun.
    func note(_ text: String) {
        let now = world.air.now
        state.withLock { state in
            guard state.start != nil else { return }
            state.record.lines.append(.init(time: state.seconds(now), text: text))
        }
    }

    // MARK: The radio

    /// Observes the links of the world, which does not run yet.
    func observe(_ gateways: [SimulatedGateway], _ devices: [BuildingDevice]) {
        state.withLock { ($0.gateways, $0.devices) = (gateways, devices) }
        world.air.world.observeLinks { [weak self] in self?.linkChanged($0) }
        world.air.world.observe { [weak self] packet in
            guard packet.direction == .toController, packet.isPairingRequest else { return }
            self?.state.withLock { $0.record.pairingCount += 1 }
        }
    }

    private func linkChanged(_ change: LinkChange) {
        // The observer runs inside of an event of the world, whose clock is ahead of the host's.
        let now = world.air.world.now
        state.withLock { state in
            switch change {
            case .made(let link):
                guard let (device, gateway) = state.ends(of: link) else { return }
                state.open[device, default: [:]][gateway] = state.seconds(now)
                let count = state.open[device]?.count ?? 0
                state.record.mostLinks = max(state.record.mostLinks, count)
            case .ended(let link):
                guard let (device, gateway) = state.ends(of: link) else { return }
                state.close(device, gateway, now: now)
            }
        }
    }

    // MARK: The walks

    /// Begins the record, with the links that are open.
    func begin(_ devices: [BuildingRecord.Device]) {
        let now = world.air.now
        state.withLock { state in
            state.record.devices = devices
            state.start = now
            state.open = state.open.mapValues { $0.mapValues { _ in 0 } }
        }
    }

    /// Records the values and the returns of an accessory until `end()`.
    func follow(_ accessory: Accessory, _ number: Int) throws {
        let observation = accessory.onChange { [weak self, world] change in
            guard change.state == .ready, change.gap != nil else { return }
            let now = world.air.now
            self?.state.withLock { state in
                guard state.start != nil else { return }
                state.record.devices[number].returns.append(state.seconds(now))
            }
        }
        let values = try accessory.values(of: BuildingDevice.value)
        let task = Task(executorPreference: world.air.executor.taskExecutor) { [weak self, world] in
            for await _ in values {
                let now = world.air.now
                self?.state.withLock { state in
                    guard state.start != nil else { return }
                    state.record.devices[number].addValue(at: state.seconds(now))
                }
            }
        }
        state.withLock { state in
            state.following.append(task)
            state.observations.append(observation)
        }
    }

    /// Lets time pass, and causes the incidents meanwhile.
    func pass(
        _ duration: Duration,
        through incidents: [BuildingScenario.Incident]
    ) async throws {
        let start = world.now
        let interval = max(1, Int(duration / .seconds(Self.sampleLimit)))
        state.withLock { $0.record.sampleInterval = interval }
        var count = 0
        var open = incidents.sorted { $0.at < $1.at }
        var ends: [(gateway: Int, kind: BuildingScenario.Incident.Kind, at: Duration)] = []
        while world.now - start < duration {
            let gone = world.now - start
            for end in ends where end.at <= gone { setWorking(true, end.gateway, end.kind) }
            ends.removeAll { $0.at <= gone }
            while let incident = open.first, incident.at <= gone {
                open.removeFirst()
                let gateway = begin(incident, at: gone)
                ends.append((gateway, incident.kind, gone + incident.length))
            }
            if count.isMultiple(of: interval) { sample() }
            count += 1
            try await world.advance(by: .seconds(1))
        }
        for end in ends { setWorking(true, end.gateway, end.kind) }
    }

    private func begin(_ incident: BuildingScenario.Incident, at gone: Duration) -> Int {
        let gateway = state.withLock { state in
            let (gateway, devices) = state.busiestGateway
            state.record.outages.append(
                .init(
                    gateway: gateway,
                    kind: incident.kind,
                    from: gone / .seconds(1),
                    to: (gone + incident.length) / .seconds(1),
                    devices: devices
                )
            )
            return gateway
        }
        setWorking(false, gateway, incident.kind)
        return gateway
    }

    private func setWorking(
        _ works: Bool,
        _ number: Int,
        _ kind: BuildingScenario.Incident.Kind
    ) {
        let gateway = state.withLock { $0.gateways[number] }
        note("\(FloorPlan.rooms[number].name): \(works ? "works again" : kind.rawValue)")
        switch kind {
        case .power: gateway.setPower(works)
        case .network: gateway.setCut(!works)
        }
    }

    private func sample() {
        let links = world.air.world.status.links
        state.withLock { state in
            var signals: [Int: Int] = [:]
            for link in links {
                guard let device = state.ends(of: link)?.device, signals[device] == nil else {
                    continue
                }
                signals[device] = link.centralRSSI
            }
            for device in state.record.devices.indices {
                state.record.devices[device].signals.append(signals[device])
            }
        }
    }

    func end() {
        let now = world.air.now
        let tasks = state.withLock { state in
            state.record.length = state.seconds(now)
            state.record.leaseCount = state.gateways.count(where: \.isLeased)
            for (device, gateways) in state.open {
                for gateway in gateways.keys { state.close(device, gateway, now: now) }
            }
            for device in state.record.devices.indices {
                state.record.devices[device].end(at: state.record.length)
            }
            state.start = nil
            state.observations = []
            return state.following
        }
        for task in tasks { task.cancel() }
    }

    func noteRemainingLinks() {
        let count = world.air.world.status.links.count
        state.withLock { $0.record.remainingLinks = count }
    }

    func noteRemainingLeases() {
        state.withLock { $0.record.remainingLeases = $0.gateways.count(where: \.isLeased) }
    }
}

extension BuildingRecorder.State {
    /// Returns the device and the gateway of a link; `nil` for other controllers.
    fileprivate func ends(of link: WorldStatus.Link) -> (device: Int, gateway: Int)? {
        guard let gateway = gateways.firstIndex(where: { $0.controller == link.central }),
            let device = devices.firstIndex(where: { $0.live.controller == link.peripheral })
        else { return nil }
        return (device, gateway)
    }

    fileprivate mutating func close(_ device: Int, _ gateway: Int, now: Instant) {
        guard let from = open[device]?.removeValue(forKey: gateway), start != nil else { return }
        record.devices[device].links.append(
            .init(gateway: gateway, from: from, to: seconds(now))
        )
    }

    /// The working gateway with the most links, and the devices that it has.
    fileprivate var busiestGateway: (gateway: Int, devices: [Int]) {
        let linked = gateways.indices.map { gateway in
            open.keys.filter { open[$0]?[gateway] != nil }.sorted()
        }
        let working = gateways.indices.filter { gateways[$0].isReachable }
        let found = working.max { (linked[$0].count, $1) < (linked[$1].count, $0) } ?? 0
        return (found, linked[found])
    }
}

extension PassedPacket {
    /// Whether the packet is a Pairing Request: H4, ACL, L2CAP with the fixed channel 6, PDU.
    fileprivate var isPairingRequest: Bool {
        bytes.count > 9 && bytes[0] == 0x02 && bytes[7...9] == [0x06, 0x00, 0x01]
    }
}
