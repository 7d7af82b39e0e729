// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import HCITransports

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Taking an adapter")
struct UserChannelOpeningTests {
    private func take(
        _ name: SystemAdapterName = .index(0),
        from kernel: ModelKernel,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(TransportError) -> AdapterLease {
        var opening = UserChannelOpening(name, of: kernel, isCancelled: isCancelled)
        return try opening.take()
    }

    /// Returns the error with which the adapter cannot be taken.
    private func refusal(
        _ name: SystemAdapterName = .index(0),
        from kernel: ModelKernel,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) -> TransportError? {
        #expect(throws: TransportError.self) {
            _ = try take(name, from: kernel, isCancelled: isCancelled)
        }
    }

    // MARK: Adapters that can be taken

    @Test("An adapter that is down is taken, and is down again afterward") func down() throws {
        let kernel = ModelKernel([0: .init()])
        let lease = try take(from: kernel)
        #expect(kernel.condition(of: 0) == .taken)
        #expect(!lease.wasUp)
        lease.giveBack()
        #expect(kernel.condition(of: 0) == .down)
        #expect(kernel.calls == [.take(0)])
    }

    @Test("An adapter that the kernel uses is brought down, and up again afterward") func wasUp()
        throws
    {
        let kernel = ModelKernel([3: .init(condition: .up(connections: 0))])
        let lease = try take(.index(3), from: kernel)
        #expect(lease.wasUp)
        #expect(kernel.calls == [.take(3), .bringDown(3), .take(3)])
        lease.giveBack()
        #expect(kernel.condition(of: 3) == .up(connections: 0))
        lease.giveBack()
        #expect(kernel.calls.count == 4)
    }

    @Test("An adapter whose lease is dropped is returned") func dropped() throws {
        let kernel = ModelKernel([0: .init(condition: .up(connections: 0))])
        _ = try take(from: kernel)
        #expect(kernel.condition(of: 0) == .up(connections: 0))
    }

    @Test(
        "An adapter whose channel was copied into a new process is restored once the copy closes",
        arguments: [ModelKernel.Condition.down, .up(connections: 0)]
    )
    func copied(before: ModelKernel.Condition) throws {
        let kernel = ModelKernel([3: .init(condition: before)])
        let lease = try take(.index(3), from: kernel)
        kernel.change { state in
            state.adapters[3]?.isCopied = true
            state.onWait = { $0.adapters[3]?.isCopied = false }
        }
        lease.giveBack()
        #expect(kernel.condition(of: 3) == before)
        #expect(kernel.calls.last == (before == .down ? .take(3) : .bringUp(3)))
    }

    @Test("The return of an adapter that another program took meanwhile has a time limit")
    func takenAgain() throws {
        let kernel = ModelKernel([3: .init(condition: .up(connections: 0))])
        let lease = try take(.index(3), from: kernel)
        kernel.change { $0.adapters[3]?.isCopied = true }
        let start = kernel.now
        lease.giveBack()
        #expect(kernel.condition(of: 3) == .taken)
        #expect(
            kernel.now - start <= AdapterLease.descriptorCopyLimit + UserChannelOpening.waitLimit
        )
    }

    @Test("Returning an adapter does not wait if another program brought it up") func faster()
        throws
    {
        let kernel = ModelKernel([3: .init(condition: .up(connections: 0))])
        let lease = try take(.index(3), from: kernel)
        kernel.change { $0.adapters[3]?.condition = .up(connections: 1) }
        lease.giveBack()
        #expect(kernel.condition(of: 3) == .up(connections: 1))
        #expect(kernel.now == .zero)
    }

    @Test("An adapter is found by its address under any number") func address() throws {
        let kernel = ModelKernel([0: .init(address: 1), 7: .init(address: 0xAABB)])
        let name = SystemAdapterName.address(DeviceAddress(value: 0xAABB, kind: .public))
        let lease = try take(name, from: kernel)
        #expect(lease.index == 7)
        #expect(kernel.condition(of: 0) == .down)
    }

    @Test("An adapter that is being set up is waited for") func settingUp() throws {
        let ready = Instant.zero + .seconds(7)
        let kernel = ModelKernel([0: .init(condition: .settingUp(until: ready))])
        let lease = try take(from: kernel)
        #expect(lease.index == 0 && kernel.now >= ready)
        #expect(kernel.now < ready + UserChannelOpening.waitLimit + .milliseconds(1))
    }

    @Test("An adapter that a daemon starts during the wait is taken from the daemon")
    func started() throws {
        let ready = Instant.zero + .seconds(60)
        let kernel = ModelKernel([0: .init(condition: .settingUp(until: ready))])
        kernel.change { state in
            state.onWait = { $0.adapters[0]?.condition = .up(connections: 0) }
        }
        #expect(try take(from: kernel).wasUp)
    }

    // MARK: Adapters that cannot be taken

    @Test("The error for an absent adapter names the present ones")
    func absent() {
        let kernel = ModelKernel([2: .init(), 1: .init()])
        #expect(refusal(from: kernel) == .noSuchAdapter("hci0", present: ["hci1", "hci2"]))
        #expect(refusal(from: ModelKernel()) == .noSuchAdapter("hci0", present: []))
        let address = DeviceAddress(value: 0x10, kind: .public)
        let error = refusal(.address(address), from: ModelKernel([0: .init()]))
        #expect(error == .noSuchAdapter("hci:00:00:00:00:00:10", present: ["hci0"]))
        #expect(kernel.calls.isEmpty)
    }

    @Test("The error for a missing capability names the program's file")
    func notPermitted() {
        var files = FileTree()
        files.links["/proc/self/exe"] = "/usr/bin/lanyard"
        let kernel = ModelKernel([0: .init()], files: files)
        kernel.change { $0.isPermitted = false }
        let error = refusal(from: kernel)
        #expect(error == .notPermitted("hci0", program: "/usr/bin/lanyard"))
        #expect(error?.description.contains("setcap cap_net_admin+ep /usr/bin/lanyard") == true)
    }

    @Test("An adapter with links stays as it is, and the error names the program that has them")
    func connected() {
        var files = FileTree()
        files.add(process: 512, "bluetoothd")
        files.add(process: 513, "sshd")
        let kernel = ModelKernel([0: .init(condition: .up(connections: 2))], files: files)
        let daemon = SystemProcess(number: 512, name: "bluetoothd")
        let error = refusal(from: kernel)
        #expect(error == .inUse("hci0", by: .kernel(connections: 2, for: [daemon])))
        #expect(
            error?.description == "hci0: in use by bluetoothd (process 512) with 2 connections; "
                + "run 'bluetoothctl power off' or 'systemctl stop bluetooth', or take another adapter"
        )
        #expect(kernel.calls == [.take(0)])
    }

    @Test("The error for a taken adapter names the program that has it")
    func taken() {
        var files = FileTree()
        files.add(process: 80, "bumble", files: ["/dev/null", "socket:[4711]"])
        files.add(process: 81, "bluetoothd", files: ["socket:[4712]"])
        files.setSockets([4711, 4712])
        let kernel = ModelKernel([0: .init(condition: .taken)], files: files)
        let error = refusal(from: kernel)
        let holder = SystemProcess(number: 80, name: "bumble")
        #expect(error == .inUse("hci0", by: .processes([holder])))
        #expect(
            error?.description
                == "hci0: in use by bumble (process 80); stop it or take another adapter"
        )
    }

    @Test(
        "The error for a disabled radio states whether a program can enable it",
        arguments: [true, false]
    )
    func switchedOff(byHardware: Bool) {
        var files = FileTree()
        files.addSwitch(of: 0, soft: !byHardware, hard: byHardware)
        let kernel = ModelKernel([0: .init(startError: SystemError.radioOff)], files: files)
        let error = refusal(from: kernel)
        #expect(error == .switchedOff("hci0", byHardware: byHardware))
        #expect(error?.description.contains("rfkill unblock") == !byHardware)
        #expect(kernel.calls.isEmpty)
    }

    @Test("An adapter that is switched off without a radio switch has its own error")
    func switchedOffUnseen() {
        let kernel = ModelKernel([0: .init(startError: SystemError.radioOff)])
        #expect(refusal(from: kernel) == .switchedOff("hci0", byHardware: false))
        #expect(kernel.calls == [.take(0)])
    }

    @Test("The wait for an adapter that never becomes ready ends")
    func neverReady() {
        let kernel = ModelKernel([
            0: .init(condition: .settingUp(until: Instant(nanoseconds: .max)))
        ])
        let error = refusal(from: kernel)
        #expect(error == .setUpUnfinished("hci0", after: UserChannelOpening.setUpLimit))
        #expect(kernel.calls.count <= 101)
    }

    @Test(
        "An adapter that does not start is left as it was before",
        arguments: [EIO, ENOMEM, ETIMEDOUT, ENODEV]
    )
    func doesNotStart(code: Int32) {
        let adapter = ModelKernel.Adapter(condition: .up(connections: 0), startError: code)
        let kernel = ModelKernel([0: adapter])
        // The adapter exists, even if its driver reports that there is no such device.
        let error = refusal(from: kernel)
        #expect(error != nil && error != .noSuchAdapter("hci0", present: ["hci0"]))
        #expect(kernel.condition(of: 0) == .up(connections: 0))
        #expect(kernel.calls == [.take(0), .bringDown(0), .take(0), .bringUp(0)])
    }

    @Test("An adapter that another program repeatedly brings up is left to that program")
    func contested() {
        let adapter = ModelKernel.Adapter(condition: .up(connections: 0), revivals: 100)
        let kernel = ModelKernel([0: adapter])
        #expect(refusal(from: kernel) == .inUse("hci0", by: .kernel(connections: 0, for: [])))
        let bringDownCount = kernel.calls.count { $0 == .bringDown(0) }
        #expect(bringDownCount == UserChannelOpening.bringDownLimit)
        #expect(kernel.condition(of: 0) == .up(connections: 0))
    }

    @Test("Without Bluetooth in the kernel, no adapter is taken") func noBluetooth() {
        let kernel = ModelKernel()
        kernel.change { $0.refusal = EAFNOSUPPORT }
        #expect(refusal(from: kernel) == .bluetoothMissing("hci0"))
    }

    @Test("An adapter that is removed during the wait is absent") func goes() {
        let adapter = ModelKernel.Adapter(
            condition: .settingUp(until: Instant(nanoseconds: .max))
        )
        let kernel = ModelKernel([0: adapter])
        kernel.change { state in state.onWait = { $0.adapters = [:] } }
        #expect(refusal(from: kernel) == .noSuchAdapter("hci0", present: []))
    }

    @Test("After a cancellation, a taken adapter is restored")
    func canceledMeanwhile() {
        let kernel = ModelKernel([0: .init(condition: .up(connections: 0))])
        let error = refusal(from: kernel) { kernel.calls.count == 3 }
        #expect(error == .cancelled)
        #expect(kernel.calls == [.take(0), .bringDown(0), .take(0), .bringUp(0)])
        #expect(kernel.condition(of: 0) == .up(connections: 0))
    }

    @Test("After a cancellation, an adapter that was brought down is brought up again")
    func canceledWhileDown() {
        let kernel = ModelKernel([0: .init(condition: .up(connections: 0))])
        let error = refusal(from: kernel) { kernel.calls.count == 2 }
        #expect(error == .cancelled)
        #expect(kernel.calls == [.take(0), .bringDown(0), .bringUp(0)])
        #expect(kernel.condition(of: 0) == .up(connections: 0))
    }

    @Test("After a cancellation, no adapter is changed") func canceled() {
        let kernel = ModelKernel([0: .init()])
        #expect(refusal(from: kernel) { true } == .cancelled)
        #expect(kernel.calls.isEmpty)
    }
}
