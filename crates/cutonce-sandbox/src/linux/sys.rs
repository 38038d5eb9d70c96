//! System calls without the C library's `errno`.
//!
//! The supervisor shares our memory, and with it the thread-local `errno` of the thread that started it; only
//! calls that never touch it are safe there.

use libc::c_long;

/// Can a process share our memory for as long as it lives? Only where we make system calls ourselves.
pub(crate) const SHARES_MEMORY: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// A raw system call: the result, or minus the error.
///
/// # Safety
/// As for the system call itself.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn call(number: c_long, args: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = args;
    let result: isize;
    unsafe {
        std::arch::asm!(
            "syscall", inlateout("rax") number as isize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _, options(nostack)
        );
    }
    result
}

/// As above.
///
/// # Safety
/// As for the system call itself.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn call(number: c_long, args: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = args;
    let result: isize;
    unsafe {
        std::arch::asm!(
            "svc 0", in("x8") number as usize, inlateout("x0") a as isize => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f, options(nostack)
        );
    }
    result
}

/// As above; in a process with memory of its own.
///
/// # Safety
/// As for the system call itself.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) unsafe fn call(number: c_long, args: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = args;
    unsafe {
        match libc::syscall(number, a, b, c, d, e, f) {
            -1 => -(*libc::__errno_location() as isize),
            result => result as isize,
        }
    }
}

/// `Ok` of the result or `Err` of the error number.
pub(crate) fn checked(result: isize) -> Result<usize, i32> {
    if result < 0 { Err(-result as i32) } else { Ok(result as usize) }
}

/// `sys!(SYS_x, arguments…)`: a raw system call as a `Result<usize, i32>`.
macro_rules! sys {
    ($number:ident $(, $arg:expr)*) => {{
        let given: &[usize] = &[$($arg as usize),*];
        let mut args = [0usize; 6];
        args.iter_mut().zip(given).for_each(|(slot, arg)| *slot = *arg);
        $crate::linux::sys::checked($crate::linux::sys::call(libc::$number, args))
    }};
}
pub(crate) use sys;
