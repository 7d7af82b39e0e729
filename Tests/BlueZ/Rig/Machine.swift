// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import ProcessTestSupport
import Synchronization

/// A virtual machine with BlueZ in it.
///
/// It has two wires to its surroundings: the control line, and one for a radio. It lives in a folder
/// of its own, with the sockets of its wires, its console's text, and what it shares with us.
final class Machine: Sendable {
    /// Where the controller of the machine's kernel is.
    enum Radio: Hashable, Sendable {
        /// In the machine, beside another that is lent to us (layout A).
        case inside(Generation)
        /// Outside: the machine's kernel drives whatever answers on the radio's wire (layout B).
        case outside
    }

    /// What a machine is; those of one kind are as good as each other.
    struct Kind: Hashable, Sendable {
        let release: DebianRelease
        let radio: Radio
        /// Whether what BlueZ remembers outlives the machine's power.
        var keepsState = false
        /// Whether it is for one scenario alone, which may do to it what it wants.
        var owner: UUID?
    }

    /// A machine with its power on.
    private struct Running {
        let process: ChildProcess
        let line: ControlLine
    }

    let kind: Kind
    let folder: String
    private let image: Image
    private let running = Mutex<Running?>(nil)

    /// A machine that is off.
    init(_ kind: Kind) async throws {
        self.kind = kind
        image = try await Image(of: kind.release)
        folder = NSTemporaryDirectory() + "bluez-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder + "/share",
            withIntermediateDirectories: true
        )
    }

    deinit {
        cutPower()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The folder that the machine has as `/share`.
    var sharedFolder: String { folder + "/share" }

    /// The end of the radio's wire that is ours.
    var radioPath: String { folder + "/radio.sock" }

    /// What the machine wrote on its console since it was started last.
    var console: String {
        (try? String(contentsOfFile: folder + "/console", encoding: .utf8)) ?? ""
    }

    /// Whether its power is on.
    var isOn: Bool { running.withLock { $0 != nil } }

    /// The control line of a machine that is on.
    var line: ControlLine {
        get throws {
            guard let line = running.withLock({ $0?.line }) else {
                throw ProcessError.ended("the machine is off", log: console)
            }
            return line
        }
    }

    // MARK: Power

    /// Starts it, and waits until it takes orders.
    func powerOn() async throws {
        guard !isOn else { return }
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

    // MARK: Time

    /// Stops its processors and its clocks; the wires stay open.
    func pause() async throws { try await Monitor.perform("stop", at: monitorPath) }

    /// Lets it go on, as if no time had passed.
    func resume() async throws { try await Monitor.perform("cont", at: monitorPath) }

    // MARK: The emulator

    private static let emulator = PathSearch.find("qemu-system-x86_64") ?? "qemu-system-x86_64"

    private var monitorPath: String { folder + "/monitor.sock" }

    private var arguments: [String] {
        let kernelArguments =
            ["console=ttyS0 quiet panic=-1"] + (kind.keepsState ? ["keeps_state"] : [])
        // Never the host's own virtualization: not every machine that tests has it, and one kind of
        // processor is one kind less of failure.
        let processor = ["-accel", "tcg,thread=multi", "-cpu", "Haswell", "-smp", "2", "-m", "512"]
        let plain = ["-nodefaults", "-no-user-config", "-nographic", "-no-reboot"]
        let boot = [
            "-kernel", image.kernel, "-initrd", image.initialFiles,
            "-append", kernelArguments.joined(separator: " "),
        ]
        return processor + plain + boot + devices
    }

    private var devices: [String] {
        let radio =
            switch kind.radio {
            case .inside: "virtserialport,bus=ports.0,chardev=radio,name=radio"
            case .outside: "virtconsole,bus=ports.0,chardev=radio"
            }
        return [
            "-serial", "file:\(folder)/console",
            "-qmp", "unix:\(monitorPath),server=on,wait=off",
            "-device", "virtio-serial-pci,id=ports",
            "-chardev", "stdio,id=control,signal=off",
            "-device", "virtserialport,bus=ports.0,chardev=control,name=control",
            "-chardev", "socket,id=radio,path=\(radioPath),server=on,wait=off",
            "-device", radio,
            "-virtfs", "local,path=\(sharedFolder),mount_tag=share,security_model=none",
            "-object", "rng-random,id=random,filename=/dev/urandom",
            "-device", "virtio-rng-pci,rng=random",
        ]
    }
}
