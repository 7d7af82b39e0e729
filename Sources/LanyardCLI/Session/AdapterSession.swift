// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothPort
import BluetoothRadios
import BluetoothTypes
import HCITransports
import Logging
import VirtualAdapters

/// One command's use of its adapters. The session closes the links and the hosts, within a limit,
/// when the command succeeds, fails or is canceled.
struct AdapterSession: Sendable {
    let adapter: AdapterChoice
    /// The file for the packet log; `nil` for none.
    let traceFile: String?
    let limits: StepLimits
    let console: Console
    /// The store of the bonds.
    var store = StoreChoice.none
    /// Whether the command fails, instead of continuing without bonds, if another process uses the
    /// adapter's own store.
    var requiresStore = false
    /// The file for the keys of links; `nil` for none.
    var keyFile: String?
    /// The identity of the host when it serves an accessory.
    var identity: ServedIdentity?
    var pairing = PairingSetup()
    /// Whether the result of the command names the device, so that no remark names it.
    var namesDevice = false

    /// Receives the reason when the only adapter is absent or lost, and `nil` when it is available
    /// again. With a closure, the session waits for the adapter. Without one, the session fails.
    var onAdapterLoss: (@Sendable (AdapterFailure?) throws -> Void)?

    /// Called with the radio of a virtual adapter before the host starts.
    var onAir: @Sendable (LiveAir) -> Void = { _ in }

    /// Receives every packet, with zeros in place of keys, and the number of its adapter, on the
    /// host's thread; `nil` for none.
    var onPacket: (@Sendable (Int, Btsnoop.Record) -> Void)?

    /// The addresses at which other hosts join the radio of a virtual adapter.
    var airAddresses: [AdapterSpecification] = []

    /// The time limit for closing links and hosts.
    private static let closingLimit = Duration.seconds(2)
    /// The limit after a step timed out. It is shorter, because the peer or the adapter probably
    /// does not answer.
    private static let silentClosingLimit = Duration.milliseconds(500)
    /// The limit for an adapter of the kernel, which the host must return to the kernel.
    private static let returnLimit = Duration.seconds(10)

    /// Runs `body` on the host of the one adapter, when it is ready.
    func withHost(
        _ body: @escaping @Sendable (BluetoothHost) async throws -> Void
    ) async throws {
        if case .radios = adapter {
            throw ProgramFailure.usage(
                "this command takes one adapter, and \(adapter) names several",
                advice: "name one of them"
            )
        }
        try await withRadios { try await body($0.hosts[0]) }
    }

    /// Runs `body` on the hosts of all adapters, when one of them is ready.
    func withRadios(
        _ body: @escaping @Sendable (RadioGroup) async throws -> Void
    ) async throws {
        let keys = try keyFile.map { try KeyExport($0) }
        let access = try adapter.open()
        defer { access.end() }
        if let air = access.air { onAir(air) }
        let air =
            airAddresses.isEmpty ? nil : try await OpenAir(access, at: airAddresses, console)
        do {
            try await withRadios(on: access, keys, body)
        } catch {
            await air?.close()
            throw error
        }
        await air?.close()
    }

    /// Runs `body` on hosts that use the adapters.
    private func withRadios(
        on access: AdapterAccess,
        _ keys: KeyExport?,
        _ body: @escaping @Sendable (RadioGroup) async throws -> Void
    ) async throws {
        let transports = [access.transport] + access.others
        let traces = try transports.enumerated().compactMap { try makeTrace(of: $1, number: $0) }
        let choice = try await awaitStore()
        let made = choice.missingDirectories
        let store = try choice.open(isRequired: requiresStore, console.remark)
        let isReady = Latch()
        let executor = access.others.isEmpty ? nil : AdapterExecutor()
        defer { executor?.shutDown() }
        let recorded = traces.isEmpty ? transports : traces
        let observed: [any HCITransport] =
            if let onPacket {
                recorded.enumerated().map { number, transport in
                    TracingTransport(wrapping: transport) { onPacket(number, $0) }
                }
            } else {
                recorded
            }
        let radios = makeRadios(on: observed, access.executor ?? executor, keys, store)
        let end = await result {
            let failed = try await open(radios)
            isReady.set()
            for transport in transports {
                guard let notice = transport.notice else { continue }
                console.remark("lanyard: \(transport.name): \(notice)\n")
            }
            try await FirstResult.of([
                { @Sendable in try await body(radios) },
                { @Sendable in try await watch(radios, failed: failed) },
                { @Sendable in await watchStore(of: radios) },
            ])
        }
        ProgressLine(console: console).clear()
        await Self.close(radios, within: closingLimit(after: end))
        if !isReady.isSet { StoreChoice.removeUnused(made) }
        for failure in traces.compactMap(\.failure) {
            console.remark("lanyard: the packet log is not complete: \(failure)\n")
        }
        if let failure = keys?.failure {
            console.remark("lanyard: the key file is not complete: \(failure.happened)\n")
        }
        try end.get()
    }

    /// Runs `body` on a link to the target.
    func withLink(
        to target: Target,
        _ body: @escaping @Sendable (Link, TargetFinder.Found) async throws -> Void
    ) async throws {
        try await withRadios { radios in
            let (link, found) = try await connect(to: target, on: radios)
            try await body(link, found)
        }
    }

    /// Finds the target and connects to it.
    func connect(
        to target: Target,
        on radios: RadioGroup
    ) async throws -> (Link, TargetFinder.Found) {
        try await connect(to: target, on: radios) {
            try await radios.connect(to: $0, options: ConnectOptions(timeout: nil))
        }
    }

    /// Finds the target and connects to it.
    ///
    /// - Parameter pairs: Whether the adapter pairs before it reports the link.
    func connect<Connection: Sendable>(
        to target: Target,
        on adapter: any CentralAdapter,
        pairs: Bool = false,
        connect: @escaping @Sendable (DeviceAddress) async throws -> Connection
    ) async throws -> (Connection, TargetFinder.Found) {
        let progress = ProgressLine(console: console)
        defer { progress.clear() }
        progress.show("looking for \(target)")
        let bonds = await adapter.accessoryBonds()
        let found = try await TargetFinder(limits: limits, bonds: bonds) {
            try await adapter.discoveries()
        }.find(target)
        let peer = AddressText.describe(found.address)
        if found.isByPrefix, !namesDevice, let name = found.name {
            progress.clear()
            console.remark("lanyard: \(target) is '\(TerminalText.escape(name))' at \(peer)\n")
        }
        progress.show("connecting to \(peer)")
        // A device that the scan has just received probably answers soon or not at all.
        let limit =
            pairs ? PairingProcedure.limit : found.isNear ? limits.step : limits.search
        // If the peer has lost the keys of its bond, the host may ask a person before it reports
        // the link.
        do {
            let connection = try await limits.run(
                "connecting to \(peer)",
                within: limit,
                isExcused: pairing.hasStartedDialogue
            ) {
                do {
                    return try await connect(found.address)
                } catch HostError.bondLost where pairing.hasDeclined() {
                    throw ProgramFailure.declinedAgain(peer)
                }
            }
            return (connection, found)
        } catch let failure as ProgramFailure
            where failure.status == .timedOut && !found.isConnectable
        {
            throw ProgramFailure(
                .refused,
                "connecting to \(peer): it only broadcasts, and accepts no connections",
                advice: "'lanyard scan' shows what it broadcasts"
            )
        }
    }

    /// Creates the packet log of an adapter. The second of several adapters has `FILE.2`.
    private func makeTrace(
        of transport: any HCITransport,
        number: Int
    ) throws -> TracingTransport? {
        guard var traceFile else { return nil }
        if number > 0 { traceFile += ".\(number + 1)" }
        do {
            return try TracingTransport(
                wrapping: transport,
                path: traceFile,
                includesKeys: keyFile != nil
            )
        } catch {
            throw ProgramFailure(
                .inputOutput,
                "the trace file \(TerminalText.escape(traceFile)) cannot be made: "
                    + TerminalText.escape(error.fileReason),
                advice: "give --trace a file where you may write and there is space"
            )
        }
    }

    /// Returns the store when its adapter is known, or `.none` if the wait for the adapter ends
    /// first. The store of an adapter is named after its address, which an adapter that is absent
    /// or not set up has not reported.
    private func awaitStore() async throws -> StoreChoice {
        let store = store.resolved
        guard !store.isResolved else { return store }
        guard let onAdapterLoss else {
            let progress = ProgressLine(console: console)
            if store.isAwaitingAddress { progress.show("waiting for \(adapter)") }
            defer { progress.clear() }
            let limit = limits.opening(adapter)
            let found = try await TimeLimit.run(limit) {
                await Self.resolve(store) { $0.isAwaitingAddress }
            }
            return (found ?? nil) ?? continueWithout(store)
        }
        try onAdapterLoss(.transport("\(adapter) is not connected yet"))
        let found = await Self.resolve(store)
        try Task.checkCancellation()
        if found != nil || store.isAwaitingAddress { try onAdapterLoss(nil) }
        return found ?? continueWithout(store)
    }

    /// Returns the store when its adapter is known; `nil` if `isWorthWaiting` returns `false`, if
    /// the system does not report changes of adapters, or if the task is canceled.
    private static func resolve(
        _ store: StoreChoice,
        while isWorthWaiting: (StoreChoice) -> Bool = { _ in true }
    ) async -> StoreChoice? {
        for await _ in SystemAdapters.changes() {
            let store = store.resolved
            if store.isResolved { return store }
            guard isWorthWaiting(store) else { return nil }
        }
        return nil
    }

    /// Returns `.none`, and prints a remark if the adapter is present and has not reported its
    /// address. If the adapter is absent, opening it reports that.
    private func continueWithout(_ store: StoreChoice) -> StoreChoice {
        if store.isAwaitingAddress {
            console.remark(
                "lanyard: \(adapter) has not reported its address; continuing without bonds\n"
            )
        }
        return .none
    }

    private func makeRadios(
        on transports: [any HCITransport],
        _ executor: AdapterExecutor?,
        _ keys: KeyExport?,
        _ store: any HostStore
    ) -> RadioGroup {
        guard transports.count > 1 else {
            let host = makeHost(on: transports[0], executor, keys, store)
            return RadioGroup([host], names: [transports[0].name])
        }
        let shared = SharedStore(store)
        return RadioGroup(
            transports.map {
                makeHost(
                    on: $0,
                    executor,
                    keys,
                    shared.makeMember(),
                    supervisionTimeoutLimit: RadioRules().supervisionTimeout
                )
            },
            names: transports.map(\.name)
        )
    }

    private func makeHost(
        on transport: any HCITransport,
        _ executor: AdapterExecutor?,
        _ keys: KeyExport?,
        _ store: any HostStore,
        supervisionTimeoutLimit: Duration? = nil
    ) -> BluetoothHost {
        var configuration = HostConfiguration()
        configuration.supervisionTimeoutLimit = supervisionTimeoutLimit
        configuration.name = DefaultDeviceName.standard()
        identity?.apply(to: &configuration)
        pairing.apply(to: &configuration)
        configuration.store = store
        if let keys { configuration.keyObserver = { keys.add($0) } }
        configuration.logger = Logger(label: "lanyard") { _ in SwiftLogNoOpLogHandler() }
        return BluetoothHost(
            transport: transport,
            configuration: configuration,
            executor: executor
        )
    }

    /// Starts the hosts within the limit. Returns the errors of those that did not start, if
    /// another one did.
    private func start(_ radios: RadioGroup) async throws -> [Int: any Error] {
        let limit = limits.opening(adapter)
        do {
            return try await limits.run("opening \(adapter)", within: limit) {
                try await radios.start()
            }
        } catch let failure as ProgramFailure where failure.status == .timedOut {
            throw ProgramFailure(
                .timedOut,
                failure.happened,
                advice: "check that a Bluetooth controller is behind \(adapter), or allow more "
                    + "time with --timeout"
            )
        }
    }

    /// Starts the hosts. Reports those that did not start, if another one did, and returns their
    /// numbers. With `onAdapterLoss`, waits for an adapter that is not available.
    private func open(_ radios: RadioGroup) async throws -> Set<Int> {
        guard let onAdapterLoss else {
            let failures = try await start(radios)
            for (radio, error) in failures.sorted(by: { $0.key < $1.key }) {
                let failure = ProgramFailure(error, during: "opening \(radios.names[radio])")
                console.remark("lanyard: \(failure.happened); continuing with the others\n")
            }
            return Set(failures.keys)
        }
        do {
            _ = try await radios.start()
        } catch HostError.adapter(let failure) {
            try onAdapterLoss(failure)
            for await state in radios.hosts[0].states where state == .ready {
                try onAdapterLoss(nil)
                return []
            }
            throw CancellationError()
        }
        return []
    }

    /// Throws when the adapter is lost, because the host would retry without a limit. With
    /// `onAdapterLoss`, reports the loss and the return instead. A session with several adapters
    /// throws when all of them are lost.
    ///
    /// - Parameter failed: The numbers of adapters whose loss is already reported.
    private func watch(_ radios: RadioGroup, failed: Set<Int>) async throws {
        guard radios.hosts.count > 1 else { return try await watch(radios.hosts[0]) }
        let lost = radios.hosts.map { _ in Latch() }
        for radio in failed { lost[radio].set() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (radio, host) in radios.hosts.enumerated() {
                group.addTask {
                    for await state in host.states {
                        guard case .unavailable(let failure) = state else {
                            if state == .ready { lost[radio].reset() }
                            continue
                        }
                        let isNew = !lost[radio].isSet
                        lost[radio].set()
                        guard !lost.allSatisfy(\.isSet) else {
                            throw ProgramFailure(adapter: failure)
                        }
                        guard isNew else { continue }
                        ProgressLine(console: console).clear()
                        let happened = ProgramFailure(adapter: failure).happened
                        console.remark("lanyard: \(happened); continuing with the others\n")
                    }
                }
            }
            try await group.waitForAll()
        }
        throw CancellationError()
    }

    private func watch(_ host: BluetoothHost) async throws {
        var isLost = false
        for await state in host.states {
            if case .unavailable(let failure) = state, !isLost {
                guard let onAdapterLoss else { throw ProgramFailure(adapter: failure) }
                isLost = true
                try onAdapterLoss(failure)
            } else if state == .ready, isLost {
                isLost = false
                try onAdapterLoss?(nil)
            }
        }
        throw CancellationError()
    }

    /// Prints problems of the store, and sets `pairing.hasBonded` after a new bond.
    private func watchStore(of radios: RadioGroup) async {
        await withTaskGroup(of: Void.self) { group in
            for host in radios.hosts {
                group.addTask {
                    for await event in await host.securityEvents() {
                        if case .bonded = event { pairing.hasBonded.set() }
                        guard let problem = event.problem else { continue }
                        ProgressLine(console: console).clear()
                        console.remark("lanyard: \(problem)\n")
                    }
                }
            }
        }
        await EndOfInput.never()
    }

    /// Closes links and hosts, even after the command's own task was canceled.
    private static func close(_ radios: RadioGroup, within limit: Duration) async {
        await Task {
            _ = try? await TimeLimit.run(limit) {
                for link in await radios.links { try? await link.disconnect() }
                await radios.shutdown()
            }
        }.value
    }

    func closingLimit(after end: Result<Void, any Error>) -> Duration {
        guard !adapter.isOfSystem else { return Self.returnLimit }
        guard case .failure(let error as ProgramFailure) = end, error.status == .timedOut
        else { return Self.closingLimit }
        return Self.silentClosingLimit
    }

    func result(
        _ body: () async throws -> Void
    ) async -> Result<Void, any Error> {
        do {
            return .success(try await body())
        } catch {
            return .failure(ProgramFailure(error, during: "running the command"))
        }
    }
}
