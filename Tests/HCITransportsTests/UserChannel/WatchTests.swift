// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization
import Testing

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A counter whose value can be awaited.
private final class Counter: Sendable {
    private struct State {
        var count = 0
        var waiters: [(Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func add() {
        let met = state.withLock { state in
            state.count += 1
            let met = state.waiters.filter { $0.0 <= state.count }
            state.waiters.removeAll { $0.0 <= state.count }
            return met
        }
        for waiter in met { waiter.1.resume() }
    }

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                guard state.count < count else { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }
}

@Suite("The return of an adapter", .timeLimit(.minutes(20)))
struct WatchTests {
    private func watch(
        _ transport: any HCITransport,
        on executor: AdapterExecutor,
        _ counter: Counter
    ) async -> (any TransportWatch)? {
        await executor.run { transport.watch(on: executor) { counter.add() } }
    }

    /// Lets the executor process all announcements.
    private func settle(_ executor: AdapterExecutor) async {
        for _ in 0..<3 { await executor.run {} }
    }

    @Test("The return of a missing adapter is reported, and nothing before it") func plugged()
        async throws
    {
        await withExecutor { executor in
            let (kernel, returns) = (ModelKernel(), Counter())
            let transport = UserChannelTransport(.index(1), kernel: kernel)
            let watch = await watch(transport, on: executor, returns)
            kernel.plug(1)
            kernel.unplug(1)
            await settle(executor)
            #expect(returns.count == 0)
            await #expect(throws: TransportError.self) {
                try await transport.open(on: executor) { _ in }
            }
            kernel.plug(2)
            kernel.unplug(2)
            kernel.plug(1)
            await returns.wait(for: 1)
            await settle(executor)
            #expect(returns.count == 1)
            await executor.run { watch?.end() }
        }
    }

    @Test("The return of an adapter that was unplugged while in use is reported") func replugged()
        async throws
    {
        try await withExecutor { executor in
            let (kernel, returns, log) = (ModelKernel([0: .init()]), Counter(), Recorder())
            let transport = UserChannelTransport(.index(0), kernel: kernel)
            let watch = await watch(transport, on: executor, returns)
            try await transport.open(on: executor, receive: log.receive)
            kernel.unplug(0)
            _ = await log.waitForClosing()
            kernel.plug(0)
            await returns.wait(for: 1)
            await executor.run { watch?.end() }
        }
    }

    @Test("A return under another number is reported to a watcher with the address")
    func renumbered() async throws {
        try await withExecutor { executor in
            let address = DeviceAddress(value: 0xC0FFEE, kind: .public)
            let (kernel, returns, log) = (
                ModelKernel([0: .init(address: 0xC0FFEE)]), Counter(), Recorder()
            )
            let transport = UserChannelTransport(.address(address), kernel: kernel)
            let watch = await watch(transport, on: executor, returns)
            try await transport.open(on: executor, receive: log.receive)
            kernel.unplug(0)
            _ = await log.waitForClosing()
            kernel.plug(5, .init(address: 0xC0FFEE))
            await returns.wait(for: 1)
            let second = Recorder()
            try await transport.open(on: executor, receive: second.receive)
            #expect(kernel.condition(of: 5) == .taken)
            await executor.run {
                watch?.end()
                transport.close()
            }
            _ = await second.waitForClosing()
        }
    }

    @Test("The release by another program is reported") func released() async throws {
        await withExecutor { executor in
            let (kernel, returns) = (ModelKernel([0: .init(condition: .taken)]), Counter())
            let transport = UserChannelTransport(.index(0), kernel: kernel)
            let watch = await watch(transport, on: executor, returns)
            await #expect(throws: TransportError.inUse("hci0", by: .processes([]))) {
                try await transport.open(on: executor) { _ in }
            }
            kernel.plug(0)
            await returns.wait(for: 1)
            await executor.run { watch?.end() }
        }
    }

    @Test(
        "A failed attempt of the host is not reported, because a report would cause a loop",
        arguments: [EIO, ENODEV]
    )
    func ownFailure(code: Int32) async throws {
        await withExecutor { executor in
            let (kernel, returns) = (ModelKernel([0: .init(startError: code)]), Counter())
            let transport = UserChannelTransport(.index(0), kernel: kernel)
            let watch = await watch(transport, on: executor, returns)
            await #expect(throws: TransportError.self) {
                try await transport.open(on: executor) { _ in }
            }
            kernel.announce(0x0005, 0)
            kernel.announce(0x0004, 0)
            await settle(executor)
            #expect(returns.count == 0)
            await executor.run { watch?.end() }
        }
    }

    @Test("Nothing is reported after the end, and a second end has no effect") func ended()
        async throws
    {
        try await withExecutor { executor in
            let (kernel, returns) = (ModelKernel(), Counter())
            let transport = UserChannelTransport(.index(0), kernel: kernel)
            let watch = try #require(await watch(transport, on: executor, returns))
            _ = try? await transport.open(on: executor) { _ in }
            await executor.run {
                watch.end()
                watch.end()
            }
            kernel.plug(0)
            await settle(executor)
            #expect(returns.count == 0)
        }
    }

    @Test("The return is reported through wrapping transports, and never for a socket")
    func wrapped() async throws {
        await withExecutor { executor in
            let (kernel, returns) = (ModelKernel(), Counter())
            let inner = UserChannelTransport(.index(0), kernel: kernel)
            let transport = FaultInjectingTransport(
                wrapping: inner,
                plan: TransportFaultPlan(seed: 1)
            )
            let watch = await watch(transport, on: executor, returns)
            _ = try? await transport.open(on: executor) { _ in }
            kernel.plug(0)
            await returns.wait(for: 1)
            await executor.run { watch?.end() }
            let socket = UnixTransport(path: "/nowhere")
            #expect(await self.watch(socket, on: executor, returns) == nil)
        }
    }
}
