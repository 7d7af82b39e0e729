// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxInterfaces
import Synchronization

@testable import HCITransports

/// A terminal whose other end is in this process: for the code under test, a real serial port.
///
/// Its path in the temporary directory stays the same when the terminal behind it is replaced, as
/// with an adapter that is unplugged and plugged in again.
final class PseudoTerminal: Sendable {
    struct Failure: Error {
        let call: String
        let code: Int32
    }

    private struct Ends {
        let near: Descriptor
        /// The far end, which stays open. Otherwise the near end fails whenever no other code has
        /// the far end open.
        let far: Descriptor
    }

    /// `_IOW('T', 0x31, int)` and `_IOR('T', 0x30, unsigned int)`.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// The path of the terminal.
    let path: String
    private let ends: Mutex<Ends?>

    init() throws {
        path = NSTemporaryDirectory() + "/tty-" + UUID().uuidString
        ends = Mutex(nil)
        try plugIn()
    }

    deinit {
        unlink(path)
    }

    /// The end that is not the serial port, or `nil` while it is unplugged.
    var near: Descriptor? { ends.withLock { $0?.near } }

    /// Creates a new terminal with the same name.
    func plugIn() throws {
        let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        let near = Descriptor(owning: open("/dev/ptmx", flags))
        try Self.check(near.number, "open")
        // The work of unlockpt and ptsname, which Swift does not import.
        var (isLocked, index): (Int32, Int32) = (0, 0)
        try Self.check(ioctl(near.number, Self.setLock, &isLocked), "TIOCSPTLCK")
        try Self.check(ioctl(near.number, Self.getNumber, &index), "TIOCGPTN")
        let name = "/dev/pts/\(index)"
        let number = open(name, flags)
        try Self.check(number, "open")
        let far = Descriptor(owning: number)
        // An echo would return bytes that a controller sends before the port is open.
        var settings = termios()
        cfmakeraw(&settings)
        try Self.check(tcsetattr(far.number, TCSANOW, &settings), "tcsetattr")
        unlink(path)
        try Self.check(symlink(name, path), "symlink")
        ends.withLock { $0 = Ends(near: near, far: far) }
    }

    /// Closes the terminal for every process that has it open, and removes its name.
    func unplug() {
        unlink(path)
        ends.withLock { $0 = nil }
    }

    /// The settings of the serial port.
    var settings: linux_termios2? {
        guard let near else { return nil }
        var settings = linux_termios2()
        return ioctl(near.number, linux_TCGETS2, &settings) == 0 ? settings : nil
    }

    /// The speed of the serial port.
    var speed: Int { Int(settings?.c_ospeed ?? 0) }

    private static func check(_ result: Int32, _ call: String) throws {
        guard result >= 0 else { throw Failure(call: call, code: errno) }
    }
}
