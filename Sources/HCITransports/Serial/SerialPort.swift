// SPDX-License-Identifier: Apache-2.0

import LinuxInterfaces

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if os(Linux)
    /// The device of a serial line, opened exclusively by this process, in raw mode with eight
    /// bits.
    struct SerialPort: Sendable {
        /// The maximum deviation of a speed from the requested one, in thousandths. With a larger
        /// deviation, the last bits of a character may be sampled at the position of their
        /// neighbors.
        static let speedTolerance = 25

        let descriptor: Descriptor
        private let path: String

        /// Opens and configures the device.
        ///
        /// - Parameters:
        ///   - line: The line.
        ///   - speeds: The speeds that the device must support, in the order in which they are set.
        init(_ line: SerialLine, speeds: [Int]) throws(SerialError) {
            path = line.path
            let number = open(line.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            guard number >= 0 else { throw Self.error(.last, opening: line.path) }
            descriptor = Descriptor(owning: number)
            try claim()
            for speed in speeds { try configure(speed: speed, flowControl: line.flowControl) }
        }

        /// Reserves the device for this process.
        private func claim() throws(SerialError) {
            var discipline: Int32 = 0
            guard ioctl(descriptor.number, linux_TIOCGETD, &discipline) == 0 else {
                throw .notATerminal(path: path)
            }
            guard discipline == linux_N_TTY else { throw .usedByKernel(path: path) }
            // Both calls are necessary. TIOCEXCL does not exclude root, and a lock only excludes
            // processes that request one.
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
            // VMIN makes a read without bytes return an error, instead of a result that looks like
            // the end of the stream.
            withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(linux_VMIN)] = 1 }
            try apply(&settings, speed: speed)
        }

        /// Sets the speed, and discards received and unsent bytes.
        func setSpeed(_ speed: Int) throws(SerialError) {
            var settings = try settings()
            try apply(&settings, speed: speed)
        }

        /// Makes the device available to other programs and to another port of this process, and
        /// prepares its closing.
        func release() {
            // With unsent bytes or flow control, closing the device would wait until the bytes are
            // sent, for half a minute or without limit.
            _ = ioctl(descriptor.number, linux_TCFLSH, linux_TCOFLUSH)
            if var settings = try? settings() {
                settings.c_cflag &= ~linux_CRTSCTS
                _ = ioctl(descriptor.number, linux_TCSETS2, &settings)
            }
            // The device can stay open for a moment: until the last reference to the descriptor
            // ends, and in a new process that has not started its program yet.
            _ = ioctl(descriptor.number, linux_TIOCNXCL)
            _ = flock(descriptor.number, LOCK_UN)
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
            // A driver that does not support the speed reports success and uses a different one.
            let actual = Int(try self.settings().c_ospeed)
            guard abs(actual - speed) * 1_000 <= speed * Self.speedTolerance else {
                throw .speedRefused(path: path, speed: speed, instead: actual)
            }
            _ = ioctl(descriptor.number, linux_TCFLSH, linux_TCIOFLUSH)
        }

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
        /// Sets the speed as a number, and removes the code of a speed. A driver may have stored
        /// such a code in place of an earlier number, and the code would take precedence over the
        /// new number.
        mutating func setSpeed(_ speed: Int) {
            c_cflag &= ~(linux_CBAUD | linux_CIBAUD)
            c_cflag |= linux_BOTHER
            c_ispeed = UInt32(speed)
            c_ospeed = UInt32(speed)
        }
    }
#endif
