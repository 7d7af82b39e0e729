// SPDX-License-Identifier: Apache-2.0

/// Why a transport could not be opened, or closed by itself. The description says what to do next.
public enum TransportError: Error, Equatable, Sendable {
    /// Nobody listens there.
    case refused(String)
    /// No address is known for this host name.
    case hostNotFound(host: String, reason: String)
    /// There is no socket at this path.
    case noSuchFile(path: String)
    /// This path is longer than a socket address can hold, in bytes of UTF-8.
    case pathTooLong(path: String, limit: Int)
    /// The system does not allow it.
    case permissionDenied(String)
    /// The network has no way there.
    case unreachable(String)
    /// No answer within this time.
    case timedOut(String, after: Duration)
    /// Somebody else listens there already.
    case addressInUse(String)
    /// The other side closed the connection.
    case closedByPeer(String)
    /// The other side does not read: this many bytes were waiting to be written.
    case outputOverflow(limit: Int)
    /// The system has no adapter of this name, but those.
    case noSuchAdapter(String, present: [String])
    /// The kernel knows nothing of Bluetooth: it was built without, the module is not loaded, or this is
    /// a container.
    case bluetoothMissing(String)
    /// This process may not take adapters from the kernel. The program's file, if it is known.
    case notPermitted(String, program: String?)
    /// Somebody else has the adapter.
    case inUse(String, by: AdapterHolder)
    /// The kernel has not finished to set the adapter up in this time.
    case setUpUnfinished(String, after: Duration)
    /// A switch keeps the adapter's radio silent (rfkill): one that only a hand can move, or any program.
    case switchedOff(String, byHardware: Bool)
    /// The adapter is gone: it was unplugged, or its driver let go of it.
    case adapterRemoved(String)
    /// A serial line could not be used.
    case serial(SerialError)
    /// `open` was called on a transport that is open.
    case alreadyOpen(String)
    /// This transport cannot run on the executor that it was opened on: what has a descriptor needs an
    /// `AdapterExecutor`, virtual wires the executor of their air.
    case unsuitableExecutor(String)
    /// So many packet logs are open already, and one more is wanted.
    case tooManyLogs(limit: Int)
    /// The task that opened the transport was cancelled.
    case cancelled
    /// A fault that was asked for.
    case injected(String)
    /// Any other refusal of the operating system: what was tried, its error number and its text.
    case system(operation: String, code: Int32, text: String)
}

extension TransportError: CustomStringConvertible {
    /// What went wrong and what to do next, in one line.
    public var description: String {
        switch self {
        case .refused(let name):
            "\(name): connection refused; start the controller or check the address"
        case .hostNotFound(let host, let reason):
            "\(host): no such host (\(reason)); check the name or use a numeric address"
        case .noSuchFile(let path):
            "\(path): no such socket; start the controller or check the path"
        case .pathTooLong(let path, let limit):
            "\(path): too long for a socket path, at most \(limit) bytes; use a shorter directory"
        case .permissionDenied(let name):
            "\(name): permission denied; run as a user who may use it"
        case .unreachable(let name): "\(name): unreachable; check the network"
        case .timedOut(let name, let limit):
            "\(name): no answer within \(limit); check that the controller is running"
        case .addressInUse(let name): "\(name): in use; stop the other process or choose another"
        case .closedByPeer(let name): "\(name): closed by the controller; open it again"
        case .serial(let error): error.description
        case .outputOverflow(let limit):
            "the controller does not read: \(limit) bytes are waiting; reset it and open it again"
        case .noSuchAdapter(let name, let present):
            "\(name): no such adapter; "
                + (present.isEmpty ? "plug one in" : "there is \(present.joined(separator: ", "))")
        case .bluetoothMissing(let name):
            "\(name): the kernel has no Bluetooth here; modprobe bluetooth, outside of any container"
        case .notPermitted(let name, let program): Self.permission(name, program)
        case .inUse(let name, let holder): "\(name): in use by \(holder); \(Self.remedy(holder))"
        case .setUpUnfinished(let name, let limit):
            "\(name): not set up by the kernel within \(limit); dmesg may say which firmware it lacks"
        case .switchedOff(let name, let byHardware):
            "\(name): switched off; "
                + (byHardware
                    ? "move the computer's switch, or press its key" : "rfkill unblock bluetooth")
        case .adapterRemoved(let name): "\(name): the adapter is gone; plug it in again"
        case .alreadyOpen(let name): "\(name): is open; close it first"
        case .unsuitableExecutor(let name):
            "\(name): cannot run on this executor; a socket needs an AdapterExecutor, "
                + "a virtual wire the executor of its air"
        case .tooManyLogs(let limit):
            "only \(limit) packet logs are kept at a time; trace fewer controllers"
        case .cancelled: "cancelled while opening"
        case .injected(let fault): "fault injected on purpose: \(fault)"
        case .system(let operation, let code, let text): "\(operation): \(text) (error \(code))"
        }
    }

    private static func permission(_ name: String, _ program: String?) -> String {
        "\(name): taking an adapter from the kernel wants the capability CAP_NET_ADMIN; "
            + "sudo setcap cap_net_admin+ep \(program ?? "PROGRAM")"
    }

    private static func remedy(_ holder: AdapterHolder) -> String {
        switch holder {
        case .processes([]):
            "sudo lanyard adapters says which one; stop it or take another adapter"
        case .processes: "stop it or take another adapter"
        case .kernel:
            "bluetoothctl power off, or systemctl stop bluetooth, or take another adapter"
        }
    }
}
