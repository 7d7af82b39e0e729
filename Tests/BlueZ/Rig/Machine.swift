// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Synchronization

/// A virtual machine with BlueZ in it.
///
/// The machine has three wires. The control line carries commands and events. Through the second
/// wire, a host outside the machine borrows a controller inside (layout A). Through the third wire,
/// the machine's own kernel drives a controller outside (layout B). Machine/README.md describes the
/// layouts.
///
/// The machine has a folder of its own. It contains the sockets of the wires, the text of the
/// console, and the folder that the machine shares with the tests.
final class Machine: Sendable {
    /// A machine that is powered on.
    private struct Running {
        let process: ChildProcess
        let line: ControlLine
    }

    let release: DebianRelease
    /// Whether BlueZ's stored state survives a power cycle.
    let keepsState: Bool
    let folder: String
    private let image: Image
    private let running = Mutex<Running?>(nil)

    /// Creates a machine that is powered off.
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

    /// The folder that the machine mounts as `/share`.
    var sharedFolder: String { folder + "/share" }

    /// The socket at which our host finds the controller that it borrows.
    var lentPath: String { folder + "/lent.sock" }

    /// The socket at which the machine's kernel waits for a controller.
    var drivenPath: String { folder + "/driven.sock" }

    /// The text on the machine's console since its last start.
    var console: String {
        (try? String(contentsOfFile: folder + "/console", encoding: .utf8)) ?? ""
    }

    /// Whether the machine is powered on and accepts commands.
    var isOn: Bool { running.withLock { $0.map { !$0.line.isOver } ?? false } }

    /// The control line of a machine that is powered on.
    var line: ControlLine {
        get throws {
            guard let line = running.withLock({ $0?.line }) else {
                throw ProcessError.ended("the machine is off", log: console)
            }
            return line
        }
    }

    /// Whether the machine's kernel has crashed by a fault of its own. Later results of such a
    /// kernel do not count.
    var isBroken: Bool {
        (try? line)?.faults.contains { $0["event"].text == "kernel_fault" } ?? false
    }

    // MARK: Power

    /// Starts the machine, and waits until it accepts commands.
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

    /// Cuts the power: the machine sends no further byte.
    func cutPower() {
        let process = running.withLock { running in
            defer { running = nil }
            return running?.process
        }
        process?.kill()
    }

    /// Ends the machine and removes its folder. The object cannot be used afterward.
    func scrap() {
        cutPower()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Time

    /// Stops the machine's processors and clocks. The wires stay open.
    func pause() async throws { try await Monitor.perform("stop", at: monitorPath) }

    /// Resumes the machine, as if no time had passed.
    func resume() async throws { try await Monitor.perform("cont", at: monitorPath) }

    // MARK: The emulator

    private static let emulator = PathSearch.find("qemu-system-x86_64") ?? "qemu-system-x86_64"

    /// The processor, without features that the emulator lacks.
    private static let processor = "Haswell,-pcid,-x2apic,-tsc-deadline,-hle,-rtm,-invpcid"

    /// An argument that makes the kernel not use the instruction `cmpxchg16b`, with which it
    /// sometimes had a double fault at its start (QEMU 7.2). The emulated processor still has the
    /// instruction, because Swift programs need it.
    private static let unusedFeature = "clearcpuid=cx16"

    /// Arguments that halve the time of a reset. Without address randomization, programs start at
    /// the same addresses each time, so the emulator need not translate them again. Without
    /// mitigations, the kernel keeps more of its caches.
    private static let openness = "mitigations=off norandmaps"

    private var monitorPath: String { folder + "/monitor.sock" }

    private var arguments: [String] {
        let kernelArguments =
            ["console=ttyS0 quiet panic=-1 no_timer_check", Self.unusedFeature, Self.openness]
            + (keepsState ? ["keeps_state"] : [])
        // The emulator never uses hardware virtualization: not every computer that runs the tests
        // has it, and the tests are more reliable with the same processor everywhere.
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
