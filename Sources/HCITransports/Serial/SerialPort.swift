// SPDX-License-Identifier: Apache-2.0

import LinuxInterfaces

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if os(Linux)
    /// The device of a serial line, open for this process alone: raw, eight bits, any speed.
    struct SerialPort: Sendable {
        /// How far a speed may be from what was wanted: with more, the last bits of a character are
        /// sampled as their neighbours. In thousandths.
        static let speedTolerance = 25

        let descriptor: Descriptor
        private let path: String

        /// Opens the device and sets it up.
        ///
        /// - Parameter speeds: Those that it must be able to have, in the order in which it gets them.
        init(_ line: SerialLine, speeds: [Int]) throws(SerialError) {
            path = line.path
            let number = open(line.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            guard number >= 0 else { throw Self.error(.last, opening: line.path) }
            descriptor = Descriptor(owning: number)
            try claim()
            for speed in speeds { try configure(speed: speed, flowControl: line.flowControl) }
        }

        /// Keeps everybody else out.
        private func claim() throws(SerialError) {
            var discipline: Int32 = 0
            guard ioctl(descriptor.number, linux_TIOCGETD, &discipline) == 0 else {
                throw .notATerminal(path: path)
            }
            guard discipline == linux_N_TTY else { throw .usedByKernel(path: path) }
            // Both: TIOCEXCL does not stop root, and who does not ask for a lock is not stopped by it.
            guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
                throw .inUse(path: path, by: [])
            }
            _ = ioctl(descriptor.number, linux_TIOCEXCL)
        }

        private func configure(
            speed: Int,
            flowControl: SerialLine.FlowControl
        ) throws(SerialError) {
            var settings = linux_termios2()
            settings.c_cflag = linux_CS8 | linux_CREAD | linux_CLOCAL
            if flowControl == .hardware { settings.c_cflag |= linux_CRTSCTS }
            // VMIN: a read without bytes says so, instead of looking like the end.
            withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(linux_VMIN)] = 1 }
            try apply(&settings, speed: speed)
        }

        /// Changes the speed, and forgets what has arrived and not left.
        func setSpeed(_ speed: Int) throws(SerialError) {
            var settings = try settings()
            try apply(&settings, speed: speed)
        }

        /// Lets what has not left get lost, and a controller that holds up its CTS hold up nobody:
        /// otherwise closing waits for both, half a minute or for ever.
        func release() {
            _ = ioctl(descriptor.number, linux_TCFLSH, linux_TCOFLUSH)
            guard var settings = try? settings() else { return }
            settings.c_cflag &= ~linux_CRTSCTS
            _ = ioctl(descriptor.number, linux_TCSETS2, &settings)
        }

        private func settings() throws(SerialError) -> linux_termios2 {
            var settings = linux_termios2()
            guard ioctl(descriptor.number, linux_TCGETS2, &settings) == 0 else {
                throw .notATerminal(path: path)
            }
            return settings
        }

        private func apply(_ settings: inout linux_termios2, speed: Int) throws(SerialError) {
            settings.setSpeed(speed)
            guard ioctl(descriptor.number, linux_TCSETS2, &settings) == 0 else {
                throw .notATerminal(path: path)
            }
            // A driver that cannot do what it was told says yes, and does something else.
            let actual = Int(try self.settings().c_ospeed)
            guard abs(actual - speed) * 1_000 <= speed * Self.speedTolerance else {
                throw .speedRefused(path: path, speed: speed, instead: actual)
            }
            _ = ioctl(descriptor.number, linux_TCFLSH, linux_TCIOFLUSH)
        }

        /// What it means that the device could not be opened.
        static func error(_ error: SystemError, opening path: String) -> SerialError {
            switch error.code {
            case ENOENT, ENXIO, ENODEV, ENOTDIR:
                .noSuchDevice(path: path, present: SerialPorts.present)
            case EACCES, EPERM: .permissionDenied(path: path, group: SerialPorts.group(of: path))
            case EBUSY: .inUse(path: path, by: [])
            default: .notATerminal(path: path)
            }
        }
    }

    extension linux_termios2 {
        /// Asks for a speed in numbers. A driver may have replaced what was asked for before by a code
        /// for the same speed, which would count for more.
        mutating func setSpeed(_ speed: Int) {
            c_cflag &= ~(linux_CBAUD | linux_CIBAUD)
            c_cflag |= linux_BOTHER
            c_ispeed = UInt32(speed)
            c_ospeed = UInt32(speed)
        }
    }
#endif
