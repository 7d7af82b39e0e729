// SPDX-License-Identifier: Apache-2.0

/// The reason why a transport could not be opened, or closed on its own. Most descriptions contain
/// a remedy.
public enum TransportError: Error, Equatable, Sendable {
    /// There is no listener.
    case refused(String)
    /// The host name has no known address.
    case hostNotFound(host: String, reason: String)
    /// No socket exists at this path.
    case noSuchFile(path: String)
    /// The path is longer than a socket address permits. `limit` is in bytes of UTF-8.
    case pathTooLong(path: String, limit: Int)
    /// The system does not permit the access.
    case permissionDenied(String)
    /// The network has no route to the host, or the host does not answer.
    case unreachable(String)
    /// No answer arrived within this time.
    case timedOut(String, after: Duration)
    /// Another process or store uses the address.
    case addressInUse(String)
    /// The peer closed the connection.
    case closedByPeer(String)
    /// The peer does not read: more bytes than `limit` were waiting to be written.
    case outputOverflow(limit: Int)
    /// The system has no adapter with this name. `present` contains the existing ones.
    case noSuchAdapter(String, present: [String])
    /// The kernel does not support Bluetooth: it was built without support, the module is not
    /// loaded, the process runs in a container, or the system is not Linux.
    case bluetoothMissing(String)
    /// The process may not take adapters from the kernel. `program` is the file of the program, if
    /// it is known.
    case notPermitted(String, program: String?)
    /// Another program or the kernel's host uses the adapter.
    case inUse(String, by: AdapterHolder)
    /// The kernel has not finished setting up the adapter within this time.
    case setUpUnfinished(String, after: Duration)
    /// A switch has turned off the radio of the adapter (rfkill). `byHardware` states whether only
    /// a person can turn it on.
    case switchedOff(String, byHardware: Bool)
    /// The adapter was unplugged, or its driver has released it.
    case adapterRemoved(String)
    /// A serial line could not be used.
    case serial(SerialError)
    /// The connection to a gateway failed, or the gateway refused it.
    case gateway(String, reason: String)
    /// `open` was called on a transport that is open or opening.
    case alreadyOpen(String)
    /// The transport does not support this executor. A transport with a descriptor requires an
    /// `AdapterExecutor`, and a virtual transport requires the executor of its air (`SimulatedAir`
    /// or `LiveAir`).
    case unsuitableExecutor(String)
    /// The maximum number of packet logs is open already.
    case tooManyLogs(limit: Int)
    /// The task that opened the transport was canceled, or the executor was shut down.
    case cancelled
    /// A fault that a test requested.
    case injected(String)
    /// Any other error of the operating system: the operation, the error number and its text.
    case system(operation: String, code: Int32, text: String)
}

extension TransportError: CustomStringConvertible {
    /// The error, and its remedy if there is one, in one line.
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
            "\(name): permission denied; run as a user with access to it"
        case .unreachable(let name): "\(name): unreachable; check the network"
        case .timedOut(let name, let limit):
            "\(name): no answer within \(limit); check that the controller is running"
        case .addressInUse(let name): "\(name): in use; stop the other process or choose another"
        case .closedByPeer(let name): "\(name): closed by the controller; open it again"
        case .serial(let error): error.description
        case .gateway(let name, let reason): "\(name): \(reason)"
        case .outputOverflow(let limit):
            "the controller does not read: over \(limit) bytes wait; reset it and open it again"
        case .noSuchAdapter(let name, let present):
            "\(name): no such adapter; "
                + (present.isEmpty ? "plug one in" : "there is \(present.joined(separator: ", "))")
        case .bluetoothMissing(let name):
            "\(name): no Bluetooth in this kernel; run 'modprobe bluetooth' outside of any container"
        case .notPermitted(let name, let program): Self.permission(name, program)
        case .inUse(let name, let holder): "\(name): in use by \(holder); \(Self.remedy(holder))"
        case .setUpUnfinished(let name, let limit):
            "\(name): not set up by the kernel within \(limit); dmesg may show the missing firmware"
        case .switchedOff(let name, let byHardware):
            "\(name): switched off; "
                + (byHardware
                    ? "use the computer's switch or key" : "run 'rfkill unblock bluetooth'")
        case .adapterRemoved(let name): "\(name): the adapter is gone; plug it in again"
        case .alreadyOpen(let name): "\(name): already open; close it first"
        case .unsuitableExecutor(let name):
            "\(name): cannot run on this executor; a socket needs an AdapterExecutor, and "
                + "a virtual transport needs the executor of its air"
        case .tooManyLogs(let limit):
            "only \(limit) packet logs can be open at a time; trace fewer controllers"
        case .cancelled: "canceled while opening"
        case .injected(let fault): "injected fault: \(fault)"
        case .system(let operation, let code, let text): "\(operation): \(text) (error \(code))"
        }
    }

    private static func permission(_ name: String, _ program: String?) -> String {
        "\(name): taking an adapter from the kernel requires the capability CAP_NET_ADMIN; "
            + "run 'sudo setcap cap_net_admin+ep \(program ?? "PROGRAM")'"
    }

    private static func remedy(_ holder: AdapterHolder) -> String {
        switch holder {
        case .processes([]):
            "'sudo lanyard adapters' shows which one; stop it or take another adapter"
        case .processes: "stop it or take another adapter"
        case .kernel:
            "run 'bluetoothctl power off' or 'systemctl stop bluetooth', or take another adapter"
        }
    }
}
