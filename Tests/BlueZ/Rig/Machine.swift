// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Synchronization

/// A virtual machine with BlueZ in it.
///
/// Three wires lead into it: the control line; one from a host outside to a controller inside, which is
/// lent to it (layout A); and one to a controller outside, for the machine's own kernel (layout B). It
/// lives in a folder of its own, with the sockets of its wires, its console's text, and what it shares
/// with us.
final class Machine: Sendable {
    /// A machine with its power on.
    private struct Running {
        let process: ChildProcess
        let line: ControlLine
    }

    let release: DebianRelease
    /// Whether what BlueZ remembers outlives the machine's power.
    let keepsState: Bool
    let folder: String
    private let image: Image
    private let running = Mutex<Running?>(nil)

    /// A machine that is off.
    init(of release: DebianRelease, keepsState: Bool) async throws {
        self.release = release
        self.keepsState = keepsState
        image = try await Image(of: release)
        folder = NSTemporaryDirectory() + "bluez-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder + "/share",
            withIntermediateDirectories: true
        )
    }

    deinit { scrap() }

    /// The folder that the machine has as `/share`.
    var sharedFolder: String { folder + "/share" }

    /// Where a host of ours finds the controller that is lent to it.
    var lentPath: String { folder + "/lent.sock" }

    /// Where the machine's kernel waits for a controller.
    var drivenPath: String { folder + "/driven.sock" }

    /// What the machine wrote on its console since it was started last.
    var console: String {
        (try? String(contentsOfFile: folder + "/console", encoding: .utf8)) ?? ""
    }

    /// Whether its power is on, and somebody in it takes orders.
    var isOn: Bool { running.withLock { $0.map { !$0.line.isOver } ?? false } }

    /// The control line of a machine that is on.
    var line: ControlLine {
        get throws {
            guard let line = running.withLock({ $0?.line }) else {
                throw ProcessError.ended("the machine is off", log: console)
            }
            return line
        }
    }

    /// Whether its kernel came to a fault of its own: what it does from then on proves nothing.
    var isBroken: Bool {
        (try? line)?.faults.contains { $0["event"].text == "kernel_fault" } ?? false
    }

    // MARK: Power

    /// Starts it, and waits until it takes orders.
    func powerOn() async throws {
        guard !isOn else { return }
        cutPower()
        let process = try ChildProcess(Self.emulator, arguments)
        let line = ControlLine(of: process)
        running.withLock { $0 = Running(process: process, line: line) }
        do {
            _ = try await line.event("the machine's readiness", within: Limits.boot) {
                $0["event"].text == "ready"
            }
        } catch {
            cutPower()
            throw ProcessError.ended("\(error)", log: process.log + console)
        }
    }

    /// Pulls its plug: not a byte more comes from it.
    func cutPower() {
        let process = running.withLock { running in
            defer { running = nil }
            return running?.process
        }
        process?.kill()
    }

    /// Ends it for good, with all that it has in the world: whoever still holds it has nothing of it.
    func scrap() {
        cutPower()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Time

    /// Stops its processors and its clocks; the wires stay open.
    func pause() async throws { try await Monitor.perform("stop", at: monitorPath) }

    /// Lets it go on, as if no time had passed.
    func resume() async throws { try await Monitor.perform("cont", at: monitorPath) }

    // MARK: The emulator

    private static let emulator = PathSearch.find("qemu-system-x86_64") ?? "qemu-system-x86_64"

    /// Without what the emulator has not.
    private static let processor = "Haswell,-pcid,-x2apic,-tsc-deadline,-hle,-rtm,-invpcid"

    /// `cmpxchg16b`, which programs of Swift need, and with which the kernel now and then came to a double
    /// fault as it started (QEMU 7.2).
    private static let unusedFeature = "clearcpuid=cx16"

    /// A program that is where it was the last time need not be translated again, and a kernel that need not
    /// hide its memory from programs forgets less: together they halve what a reset costs.
    private static let openness = "mitigations=off norandmaps"

    private var monitorPath: String { folder + "/monitor.sock" }

    private var arguments: [String] {
        let kernelArguments =
            ["console=ttyS0 quiet panic=-1 no_timer_check", Self.unusedFeature, Self.openness]
            + (keepsState ? ["keeps_state"] : [])
        // Never the host's own virtualization: not every machine that tests has it, and one kind of
        // processor is one kind less of failure.
        let processor = ["-accel", "tcg,thread=multi", "-cpu", Self.processor]
        let size = ["-smp", "1", "-m", "512"]
        let plain = ["-nodefaults", "-no-user-config", "-nographic", "-no-reboot"]
        let boot = [
            "-kernel", image.kernel, "-initrd", image.initialFiles,
            "-append", kernelArguments.joined(separator: " "),
        ]
        return processor + size + plain + boot + devices
    }

    private var devices: [String] {
        [
            "-serial", "file:\(folder)/console",
            "-qmp", "unix:\(monitorPath),server=on,wait=off",
            "-device", "virtio-serial-pci,id=ports",
            "-chardev", "stdio,id=control,signal=off",
            "-device", "virtserialport,bus=ports.0,chardev=control,name=control",
            "-chardev", "socket,id=lent,path=\(lentPath),server=on,wait=off",
            "-device", "virtserialport,bus=ports.0,chardev=lent,name=lent",
            "-chardev", "socket,id=driven,path=\(drivenPath),server=on,wait=off",
            "-device", "virtconsole,bus=ports.0,chardev=driven",
            "-virtfs", "local,path=\(sharedFolder),mount_tag=share,security_model=none",
            "-object", "rng-random,id=random,filename=/dev/urandom",
            "-device", "virtio-rng-pci,rng=random",
        ]
    }
}
