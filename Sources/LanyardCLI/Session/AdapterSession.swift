// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import HCITransports
import Logging
import VirtualAdapters

extension Link: VisitedAccessory {}

/// One command's use of an adapter: opened, used, and put back in order, however the command ends.
struct AdapterSession: Sendable {
    let adapter: AdapterChoice
    /// Where to record the packets; nil for nowhere.
    let traceFile: String?
    let limits: StepLimits
    let console: Console
    /// Where bonds are kept.
    var store = StoreChoice.none
    /// Where to write the keys that links are encrypted with; nil for nowhere.
    var keyFile: String?
    /// Who the host is, where that matters to others.
    var identity: HostIdentity?
    var pairing = PairingSetup()

    /// Is told that the adapter cannot be used, and why, or, with nil, that it can again. If there is one,
    /// the session waits for the adapter to come back; without, it ends.
    var onAdapterLoss: (@Sendable (AdapterFailure?) throws -> Void)?

    /// Where other hosts join the air of a virtual adapter.
    var airAddresses: [AdapterSpecification] = []

    /// How long the end of links and of the host may take.
    private static let closingLimit = Duration.seconds(2)
    /// The same where something did not answer already: it hardly will now, and a person waits.
    private static let silentClosingLimit = Duration.milliseconds(500)
    /// The same where the kernel gets its adapter back, and brings it up: nobody else would do that.
    private static let returnLimit = Duration.seconds(10)

    /// Runs `body` on a host that is ready.
    func withHost(
        _ body: @escaping @Sendable (BluetoothHost) async throws -> Void
    ) async throws {
        let keys = try keyFile.map { try KeyExport($0) }
        let access = try adapter.open()
        defer { access.end() }
        let air =
            airAddresses.isEmpty ? nil : try await OpenAir(access, at: airAddresses, console)
        let trace = try makeTrace(of: access.transport)
        let store = try await awaitStore().open(console.remark)
        let transport: any HCITransport = trace ?? access.transport
        let host = makeHost(on: transport, access.executor, keys, store)
        let end = await result {
            try await open(host)
            if let notice = transport.notice { console.remark("lanyard: \(adapter): \(notice)\n") }
            try await FirstResult.of([
                { @Sendable in try await body(host) },
                { @Sendable in try await watch(host) },
                { @Sendable in await watchStore(of: host) },
            ])
        }
        ProgressLine(console: console).clear()
        await Self.close(host, within: closingLimit(after: end))
        await air?.close()
        if let failure = trace?.failure {
            console.remark("lanyard: the trace is not whole: \(failure)\n")
        }
        if let failure = keys?.failure {
            console.remark("lanyard: the keys are not whole: \(failure.happened)\n")
        }
        try end.get()
    }

    /// Runs `body` on a link to the target.
    func withLink(
        to target: Target,
        _ body: @escaping @Sendable (Link, TargetFinder.Found) async throws -> Void
    ) async throws {
        try await withHost { host in
            let progress = ProgressLine(console: console)
            progress.show("looking for \(target)")
            let bonds = await host.bonds
            let found = try await TargetFinder(limits: limits, bonds: bonds) { host.scan() }
                .find(target)
            let peer = AddressText.describe(found.address)
            progress.show("connecting to \(peer)")
            // One that was heard a moment ago answers soon, or has gone.
            let limit = found.isNear ? limits.step : limits.search
            // If that one has lost the keys of its bond, a person is asked before there is a link.
            let link = try await limits.run(
                "connecting to \(peer)",
                within: limit,
                isExcused: pairing.isTalking
            ) {
                try await host.connect(to: found.address, options: ConnectOptions(timeout: nil))
            }
            progress.clear()
            try await body(link, found)
        }
    }

    private func makeTrace(of transport: any HCITransport) throws -> TracingTransport? {
        guard let traceFile else { return nil }
        do {
            return try TracingTransport(
                wrapping: transport,
                path: traceFile,
                includesKeys: keyFile != nil
            )
        } catch {
            throw ProgramFailure(
                .inputOutput,
                "the trace file \(TerminalText.escape(traceFile)) cannot be made",
                advice: "give --trace a file in a directory that you may write to"
            )
        }
    }

    /// The store, as soon as it is known which it is. What belongs to an adapter goes by its address: one
    /// that is not there, or not set up, has not told it yet.
    private func awaitStore() async throws -> StoreChoice {
        let store = store.known
        guard !store.isKnown else { return store }
        guard let onAdapterLoss else {
            let progress = ProgressLine(console: console)
            if store.isComing { progress.show("waiting for \(adapter)") }
            defer { progress.clear() }
            let limit = limits.opening(adapter)
            let found = try await TimeLimit.run(limit) { await Self.known(store) { $0.isComing } }
            return (found ?? nil) ?? goOnWithout(store)
        }
        try onAdapterLoss(.transport("\(adapter) is not there yet"))
        let found = await Self.known(store)
        try Task.checkCancellation()
        if found != nil || store.isComing { try onAdapterLoss(nil) }
        return found ?? goOnWithout(store)
    }

    /// The store when it is known which it is; nil as soon as that is not worth waiting for, or the system
    /// does not tell of adapters.
    private static func known(
        _ store: StoreChoice,
        while isWorthWaiting: (StoreChoice) -> Bool = { _ in true }
    ) async -> StoreChoice? {
        for await _ in SystemAdapters.changes() {
            let store = store.known
            if store.isKnown { return store }
            guard isWorthWaiting(store) else { return nil }
        }
        return nil
    }

    /// Of an adapter that is not there, opening it says so; where it is, nobody else would.
    private func goOnWithout(_ store: StoreChoice) -> StoreChoice {
        if store.isComing {
            console.remark("lanyard: \(adapter) has not told its address; going on without bonds\n")
        }
        return .none
    }

    private func makeHost(
        on transport: any HCITransport,
        _ executor: AdapterExecutor?,
        _ keys: KeyExport?,
        _ store: any HostStore
    ) -> BluetoothHost {
        var configuration = HostConfiguration()
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

    /// Starts the host; if it is worth waiting for, also where there is no adapter yet.
    private func open(_ host: BluetoothHost) async throws {
        guard let onAdapterLoss else {
            let limit = limits.opening(adapter)
            return try await limits.run("opening \(adapter)", within: limit) {
                try await host.start()
            }
        }
        do {
            try await host.start()
        } catch HostError.adapter(let failure) {
            try onAdapterLoss(failure)
            for await state in host.states where state == .ready { return try onAdapterLoss(nil) }
            throw CancellationError()
        }
    }

    /// Throws as soon as the adapter cannot be used any more: the host would try on for ever, but a
    /// person is told. One who wants to wait is told, too, and of its return.
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

    /// Tells of what is wrong with the store, or with something in it; notes that there are new keys.
    private func watchStore(of host: BluetoothHost) async {
        for await event in await host.securityEvents() {
            if case .bonded = event { pairing.hasBonded.set() }
            guard let complaint = event.complaint else { continue }
            ProgressLine(console: console).clear()
            console.remark("lanyard: \(complaint)\n")
        }
        await EndOfInput.never()
    }

    /// Ends links and host, also after the command's own task was cancelled.
    private static func close(_ host: BluetoothHost, within limit: Duration) async {
        await Task {
            _ = try? await TimeLimit.run(limit) {
                for link in await host.links { try? await link.disconnect() }
                await host.shutdown()
            }
        }.value
    }

    private func closingLimit(after end: Result<Void, any Error>) -> Duration {
        guard !adapter.isOfSystem else { return Self.returnLimit }
        guard case .failure(let error as ProgramFailure) = end, error.status == .timedOut
        else { return Self.closingLimit }
        return Self.silentClosingLimit
    }

    private func result(
        _ body: () async throws -> Void
    ) async -> Result<Void, any Error> {
        do {
            return .success(try await body())
        } catch {
            return .failure(ProgramFailure(error, during: "running the command"))
        }
    }
}
