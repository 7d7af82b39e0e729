// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file descriptor that another process passed over a Unix socket, or that this process opened.
/// It is closed when its last copy is released.
package struct PassedDescriptor: Sendable {
    let descriptor: Descriptor

    /// Creates a passed descriptor from a number that no other code closes.
    package init(owning number: Int32) {
        descriptor = Descriptor(owning: number)
    }

    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// The number of the descriptor in this process.
    package var number: Int32 { descriptor.number }
}

/// The layout of the control data that carries descriptors (`CMSG_LEN` and similar macros, which
/// Swift cannot import).
private enum ControlData {
    #if os(Linux)
        private static let alignment = MemoryLayout<Int>.alignment
    #else
        private static let alignment = 4
    #endif

    /// The offset of the first descriptor, which follows the header.
    static let contentOffset = aligned(MemoryLayout<cmsghdr>.size)

    static func aligned(_ length: Int) -> Int { (length + alignment - 1) / alignment * alignment }

    static func space(forDescriptors count: Int) -> Int {
        contentOffset + aligned(count * MemoryLayout<Int32>.size)
    }
}

extension Descriptor {
    /// The maximum number of descriptors in one read. The system closes further ones.
    static let receivedDescriptorLimit = 16

    struct Received {
        /// The number of bytes, which is 0 at the end of the stream.
        let count: Int
        let descriptors: [PassedDescriptor]
        /// Whether the system closed descriptors, for example because there were too many.
        let isTruncated: Bool
    }

    /// Reads once, with the descriptors that come with the bytes.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Result<Received, SystemError> {
        var control = [UInt8](
            repeating: 0,
            count: ControlData.space(forDescriptors: Self.receivedDescriptorLimit)
        )
        let capacity = control.count
        var part = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
        var flags: Int32 = 0
        var used = 0
        let count = withUnsafeMutablePointer(to: &part) { part in
            control.withUnsafeMutableBytes { control in
                var header = msghdr()
                header.msg_iov = part
                header.msg_iovlen = 1
                header.msg_control = control.baseAddress
                header.msg_controllen = numericCast(capacity)
                let count = recvmsg(number, &header, 0)
                flags = numericCast(header.msg_flags)
                used = numericCast(header.msg_controllen)
                return count
            }
        }
        guard count >= 0 else { return .failure(.last) }
        let descriptors = Self.descriptors(in: control.prefix(used))
        for passed in descriptors { passed.descriptor.makeNonBlocking() }
        let isTruncated = flags & numericCast(MSG_CTRUNC) != 0
        return .success(
            Received(count: count, descriptors: descriptors, isTruncated: isTruncated)
        )
    }

    /// Returns the descriptors in control data that the system wrote.
    private static func descriptors(in control: ArraySlice<UInt8>) -> [PassedDescriptor] {
        var found: [PassedDescriptor] = []
        control.withUnsafeBytes { control in
            var position = 0
            while position + ControlData.contentOffset <= control.count {
                let header = control.loadUnaligned(fromByteOffset: position, as: cmsghdr.self)
                let length: Int = numericCast(header.cmsg_len)
                guard length >= ControlData.contentOffset, position + length <= control.count
                else { return }
                if header.cmsg_level == SOL_SOCKET, header.cmsg_type == numericCast(SCM_RIGHTS) {
                    let contents = (position + ControlData.contentOffset)..<(position + length)
                    for offset in stride(from: contents.lowerBound, to: contents.upperBound, by: 4)
                    where offset + 4 <= contents.upperBound {
                        found.append(
                            PassedDescriptor(
                                owning: control.loadUnaligned(
                                    fromByteOffset: offset,
                                    as: Int32.self
                                )
                            )
                        )
                    }
                }
                position += ControlData.aligned(length)
            }
        }
        return found
    }

    /// Writes bytes with descriptors, which arrive with the first byte. Returns the count of bytes,
    /// or -1 with the error in `errno`.
    func sendPassing(_ bytes: UnsafeRawBufferPointer, with descriptors: [PassedDescriptor]) -> Int {
        guard !descriptors.isEmpty else { return sendWithoutSignal(bytes) }
        let contentLength = descriptors.count * MemoryLayout<Int32>.size
        var control = [UInt8](
            repeating: 0,
            count: ControlData.space(forDescriptors: descriptors.count)
        )
        var header = cmsghdr()
        header.cmsg_len = numericCast(ControlData.contentOffset + contentLength)
        header.cmsg_level = SOL_SOCKET
        header.cmsg_type = numericCast(SCM_RIGHTS)
        return control.withUnsafeMutableBytes { control in
            control.storeBytes(of: header, as: cmsghdr.self)
            for (index, passed) in descriptors.enumerated() {
                control.storeBytes(
                    of: passed.number,
                    toByteOffset: ControlData.contentOffset + index * MemoryLayout<Int32>.size,
                    as: Int32.self
                )
            }
            var part = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                iov_len: bytes.count
            )
            return withUnsafeMutablePointer(to: &part) { part in
                var message = msghdr()
                message.msg_iov = part
                message.msg_iovlen = 1
                message.msg_control = control.baseAddress
                message.msg_controllen = numericCast(control.count)
                #if os(Linux)
                    return sendmsg(number, &message, numericCast(MSG_NOSIGNAL))
                #else
                    return sendmsg(number, &message, 0)
                #endif
            }
        }
    }
}
